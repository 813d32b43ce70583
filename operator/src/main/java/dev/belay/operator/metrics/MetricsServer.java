package dev.belay.operator.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Serves /metrics, /healthz (the process answers) and /readyz (it also does its work). */
public final class MetricsServer implements AutoCloseable {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;

  private record Answer(int code, String type, String body) {
    static Answer plain(int code, String body) {
      return new Answer(code, "text/plain; charset=utf-8", body + "\n");
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * @param trouble what keeps the process from doing its work; empty when nothing does
   * @throws IOException when the address cannot be listened on
   */
  public MetricsServer(InetSocketAddress address, Metrics metrics, Supplier<String> trouble)
      throws IOException {
    this.server = HttpServer.create(address, 0);
    server.setExecutor(threads);
    server.createContext("/", exchange -> answer(exchange, metrics, trouble));
    server.start();
  }

  public InetSocketAddress address() {
    return server.getAddress();
  }

  private static void answer(HttpExchange exchange, Metrics metrics, Supplier<String> trouble)
      throws IOException {
    try (exchange) {
      Answer answer = answer(exchange.getRequestMethod(), exchange, metrics, trouble);
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", answer.type());
      if (exchange.getRequestMethod().equals("HEAD")) {
        exchange.sendResponseHeaders(answer.code(), -1);
        return;
      }
      exchange.sendResponseHeaders(answer.code(), body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static Answer answer(
      String method, HttpExchange exchange, Metrics metrics, Supplier<String> trouble) {
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return Answer.plain(METHOD_NOT_ALLOWED, "only GET");
    }
    return switch (exchange.getRequestURI().getPath()) {
      case "/metrics" -> new Answer(OK, Exposition.CONTENT_TYPE, metrics.text());
      case "/healthz" -> Answer.plain(OK, "ok");
      case "/readyz" -> {
        String why = trouble.get();
        yield why.isEmpty() ? Answer.plain(OK, "ok") : Answer.plain(UNAVAILABLE, why);
      }
      default -> Answer.plain(NOT_FOUND, "there are /metrics, /healthz and /readyz");
    };
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
