package dev.belay.sandbox.node;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** The part of a kubelet's server that {@code kubectl logs} needs; only the API server may ask. */
final class LogServer implements AutoCloseable {
  private static final String ONLY_CALLER = "CN=kube-apiserver,O=system:masters";

  /** Finds the log of a container. */
  interface Logs {
    Optional<Log> find(String namespace, String pod, String container, boolean previous);
  }

  /** A log file and whether its container may still write to it. */
  record Log(Path file, BooleanSupplier alive) {}

  private final HttpsServer server;
  private final Logs logs;

  private LogServer(HttpsServer server, Logs logs) {
    this.server = server;
    this.logs = logs;
  }

  static LogServer start(InetSocketAddress address, SSLContext context, Logs logs)
      throws IOException {
    HttpsServer server = HttpsServer.create(address, 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters ssl = context.getDefaultSSLParameters();
            ssl.setNeedClientAuth(true);
            parameters.setSSLParameters(ssl);
          }
        });
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    LogServer logServer = new LogServer(server, logs);
    server.createContext("/containerLogs/", logServer::answer);
    server.start();
    return logServer;
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String caller = ((HttpsExchange) exchange).getSSLSession().getPeerPrincipal().getName();
      if (!caller.equals(ONLY_CALLER)) {
        refuse(exchange, 403, caller + " may not read logs here");
        return;
      }
      List<String> path = List.of(exchange.getRequestURI().getPath().split("/", -1));
      Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
      for (String option : List.of("timestamps", "sinceSeconds", "sinceTime")) {
        if (!query.getOrDefault(option, "false").equals("false")) {
          refuse(
              exchange, 400, "the sandbox keeps no times in logs: " + option + " is not supported");
          return;
        }
      }
      boolean previous = query.getOrDefault("previous", "false").equals("true");
      Optional<Log> log =
          path.size() == 5
              ? logs.find(path.get(2), path.get(3), path.get(4), previous)
              : Optional.empty();
      if (log.isEmpty()) {
        String which = previous ? "previous terminated " : "";
        refuse(
            exchange, 404, which + "container log of " + exchange.getRequestURI() + " not found");
        return;
      }
      send(exchange, log.get(), query);
    }
  }

  private static void send(HttpExchange exchange, Log log, Map<String, String> query)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/plain");
    exchange.sendResponseHeaders(200, 0);
    boolean follow = query.getOrDefault("follow", "false").equals("true");
    long limit = number(query.get("limitBytes")).orElse(Long.MAX_VALUE);
    try (RandomAccessFile file = new RandomAccessFile(log.file().toFile(), "r");
        OutputStream out = exchange.getResponseBody()) {
      Optional<Long> tail = number(query.get("tailLines"));
      if (tail.isPresent()) {
        file.seek(tailStart(file, tail.get()));
      }
      byte[] buffer = new byte[8192];
      while (limit > 0) {
        // Asked before reading: what was written before the end is still read after it.
        boolean more = follow && log.alive().getAsBoolean();
        int read = file.read(buffer, 0, (int) Math.min(buffer.length, limit));
        if (read > 0) {
          out.write(buffer, 0, read);
          out.flush();
          limit -= read;
        } else if (more) {
          Thread.sleep(100);
        } else {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Where the last so many lines begin. */
  static long tailStart(RandomAccessFile file, long lines) throws IOException {
    long at = file.length();
    if (lines <= 0) {
      return at;
    }
    byte[] block = new byte[8192];
    long newlines = 0;
    boolean last = true;
    while (at > 0) {
      int size = (int) Math.min(block.length, at);
      file.seek(at - size);
      file.readFully(block, 0, size);
      for (int i = size - 1; i >= 0; i--) {
        // The newline that ends the file begins no further line.
        if (block[i] == '\n' && !last && ++newlines == lines) {
          return at - size + i + 1;
        }
        last = false;
      }
      at -= size;
    }
    return 0;
  }

  private static void refuse(HttpExchange exchange, int code, String why) throws IOException {
    byte[] text = (why + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(code, text.length);
    exchange.getResponseBody().write(text);
  }

  private static Optional<Long> number(@Nullable String text) {
    return Optional.ofNullable(text).filter(t -> t.matches("\\d{1,18}")).map(Long::valueOf);
  }

  private static Map<String, String> query(@Nullable String raw) {
    Map<String, String> values = new HashMap<>();
    for (String pair : Optional.ofNullable(raw).orElse("").split("&", -1)) {
      String[] parts = pair.split("=", 2);
      String value = parts.length == 2 ? parts[1] : "";
      values.put(parts[0], URLDecoder.decode(value, StandardCharsets.UTF_8));
    }
    return values;
  }

  static Optional<Log> existing(Path file, BooleanSupplier alive) {
    return Files.exists(file) ? Optional.of(new Log(file, alive)) : Optional.empty();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
