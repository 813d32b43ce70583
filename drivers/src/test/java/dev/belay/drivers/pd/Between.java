package dev.belay.drivers.pd;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands before a real member and passes everything on, but for one path that it does not know. */
final class Between implements AutoCloseable {

  private static final List<String> CARRIED =
      List.of("Content-Type", "PD-Allow-follower-handle", "PD-Redirector");

  private final String path;
  private final URI member;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicInteger refused = new AtomicInteger();

  private Between(String path, URI member) throws IOException {
    this.path = path;
    this.member = member;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  static Between refusing(String path, URI member) throws IOException {
    return new Between(path, member);
  }

  URI address() {
    return URI.create(
        "http://%s:%d"
            .formatted(
                server.getAddress().getAddress().getHostAddress(), server.getAddress().getPort()));
  }

  /** How often it did not know the path. */
  int refused() {
    return refused.get();
  }

  private void handle(HttpExchange exchange) throws IOException {
    byte[] question = exchange.getRequestBody().readAllBytes();
    try (exchange) {
      if (exchange.getRequestURI().getPath().startsWith(path)) {
        refused.incrementAndGet();
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      var request =
          HttpRequest.newBuilder(member.resolve(exchange.getRequestURI().toString()))
              .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(question));
      for (String header : CARRIED) {
        exchange
            .getRequestHeaders()
            .getOrDefault(header, List.of())
            .forEach(value -> request.header(header, value));
      }
      var answer = http.send(request.build(), BodyHandlers.ofByteArray());
      byte[] body = answer.body();
      exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    http.shutdownNow();
    threads.shutdownNow();
  }
}
