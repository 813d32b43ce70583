package dev.belay.operator.wire;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A member that notes what it is told, and answers what the test says, or 200. */
public final class Listener implements AutoCloseable {

  public static final String HOST = "127.0.0.1";

  /** What it was told. */
  public record Told(String method, String path, String body, String type, String length) {}

  private final List<Told> told = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Integer> statuses = new LinkedBlockingQueue<>();
  private final HttpServer server;
  private volatile boolean patient;
  private volatile String says = "";

  public Listener() throws IOException {
    server = HttpServer.create(new InetSocketAddress(HOST, 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::listen);
    server.start();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  public List<Told> told() {
    return List.copyOf(told);
  }

  /** The methods and paths, in the order in which they came. */
  public List<String> heard() {
    return told.stream().map(t -> t.method() + " " + t.path()).toList();
  }

  /** What the next one is answered with. */
  public Listener answering(int status) {
    statuses.add(status);
    return this;
  }

  public Listener saying(String body) {
    says = body;
    return this;
  }

  /** From now on nobody is answered before the test says how. */
  public Listener waiting() {
    patient = true;
    return this;
  }

  private void listen(HttpExchange exchange) throws IOException {
    var headers = exchange.getRequestHeaders();
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    told.add(
        new Told(
            exchange.getRequestMethod(),
            exchange.getRequestURI().toString(),
            body,
            headers.getFirst("Content-Type"),
            headers.getFirst("Content-Length")));
    try {
      Integer status = patient ? statuses.poll(30, TimeUnit.SECONDS) : statuses.poll();
      byte[] answer = says.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Location", "/elsewhere");
      exchange.sendResponseHeaders(
          status == null ? 200 : status, answer.length == 0 ? -1 : answer.length);
      exchange.getResponseBody().write(answer);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      exchange.close();
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
