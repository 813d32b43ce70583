package dev.belay.drivers.etcd;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.belay.core.driver.Driver.Seat;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Replays the recorded answers of one real member, until a test makes it misbehave. */
final class FakeEtcd implements AutoCloseable {

  static final String STATUS = "/v3/maintenance/status";
  static final String MEMBERS = "/v3/cluster/member/list";
  static final String ALARMS = "/v3/maintenance/alarm";
  static final String TRANSFER = "/v3/maintenance/transfer-leadership";
  static final String LOGIN = "/v3/auth/authenticate";
  static final String HEALTH = "/health";
  static final String VERSION = "/version";
  static final String METRICS = "/metrics";

  private static final Map<String, String> RECORDED =
      Map.of(
          STATUS, "status.json",
          MEMBERS, "members.json",
          ALARMS, "alarms.json",
          HEALTH, "health.json",
          VERSION, "version.json",
          METRICS, "metrics.txt");

  /** How one path is answered. */
  @FunctionalInterface
  interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  private final String name;
  private final String folder;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  final List<String> asked = new CopyOnWriteArrayList<>();

  private FakeEtcd(String version, String name) throws IOException {
    this.name = name;
    this.folder = "/etcd/" + version + "/" + name + "/";
    RECORDED.forEach((path, file) -> answers.put(path, body(200, recorded(file))));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  static FakeEtcd replaying(String version, String name) {
    try {
      return new FakeEtcd(version, name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Seat seat() {
    return new Seat(
        name,
        name,
        URI.create(
            "http://"
                + server.getAddress().getAddress().getHostAddress()
                + ":"
                + server.getAddress().getPort()));
  }

  FakeEtcd on(String path, Answer answer) {
    answers.put(path, answer);
    return this;
  }

  /** Answers with the recording, changed. */
  FakeEtcd edit(String path, String from, String to) {
    String before = recorded(RECORDED.get(path));
    String after = before.replace(from, to);
    if (after.equals(before)) {
      throw new IllegalArgumentException("\"" + from + "\" is not in " + before);
    }
    return on(path, body(200, after));
  }

  static Answer body(int status, String text) {
    return exchange -> {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  String recorded(String file) {
    try (InputStream in = FakeEtcd.class.getResourceAsStream(folder + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    asked.add(path);
    exchange.getRequestBody().readAllBytes();
    try (exchange) {
      answers.getOrDefault(path, body(404, "")).to(exchange);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
