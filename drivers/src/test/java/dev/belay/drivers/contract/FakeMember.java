package dev.belay.drivers.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.wire.Wire;
import java.io.ByteArrayInputStream;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Replays the recorded answers of one real member, until a test makes it misbehave. */
public final class FakeMember implements AutoCloseable {

  /** How one path is answered. */
  @FunctionalInterface
  public interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  private final String name;
  private final String folder;
  private final Map<String, String> recorded;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final CountDownLatch over = new CountDownLatch(1);

  private volatile Map<String, Answer> kept = Map.of();

  /** The paths that were asked for, in order. */
  public final List<String> asked = new CopyOnWriteArrayList<>();

  private FakeMember(String folder, String name, Map<String, String> recorded) throws IOException {
    this.name = name;
    this.folder = folder + "/" + name + "/";
    this.recorded = recorded;
    recorded.forEach((path, file) -> answers.put(path, body(200, recorded(file))));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /**
   * @param folder where the recordings of all members are, among the test's resources
   * @param recorded the file that answers each path
   */
  public static FakeMember replaying(String folder, String name, Map<String, String> recorded) {
    try {
      return new FakeMember(folder, name, recorded);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Seat seat() {
    return new Seat(
        name,
        name,
        URI.create(
            "http://"
                + server.getAddress().getAddress().getHostAddress()
                + ":"
                + server.getAddress().getPort()));
  }

  public FakeMember on(String path, Answer answer) {
    answers.put(path, answer);
    return this;
  }

  /** Answers with the recording, changed. */
  public FakeMember edit(String path, String from, String to) {
    String before = recorded(recorded.get(path));
    String after = before.replace(from, to);
    if (after.equals(before)) {
      throw new IllegalArgumentException("\"" + from + "\" is not in " + before);
    }
    return on(path, body(200, after));
  }

  /** As it answers now: what {@link #calm} comes back to. */
  public void keep() {
    kept = Map.copyOf(answers);
  }

  public void calm() {
    answers.clear();
    answers.putAll(kept);
  }

  /** Answers with the recording, in whose list the entries with this text are missing. */
  public FakeMember omit(String path, String list, String entry) {
    try {
      JsonNode whole = Wire.JSON.readTree(recorded(recorded.get(path)));
      ArrayNode entries = (ArrayNode) whole.get(list);
      int before = entries.size();
      entries.removeIf(e -> e.toString().contains(entry));
      if (entries.size() == before) {
        throw new IllegalArgumentException("\"" + entry + "\" is not in " + entries);
      }
      return on(path, body(200, whole.toString()));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Answer body(int status, String text) {
    return exchange -> {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  /** Takes the question and says nothing until the member is closed. */
  public Answer never() {
    return exchange -> {
      try {
        over.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    };
  }

  /** Begins the answer, and says no more until the member is closed. */
  public Answer half() {
    return exchange -> {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write('{');
      exchange.getResponseBody().flush();
      never().to(exchange);
    };
  }

  /** Promises more than it sends, and hangs up. */
  public static Answer cut() {
    return exchange -> {
      exchange.sendResponseHeaders(200, 1000);
      exchange.getResponseBody().write('{');
      exchange.close();
    };
  }

  public static Answer redirect(FakeMember to, String path) {
    return exchange -> {
      exchange.getResponseHeaders().add("Location", to.seat().address() + path);
      exchange.sendResponseHeaders(307, -1);
    };
  }

  /** How often a path was asked for. */
  public long askedFor(String path) {
    return asked.stream().filter(path::equals).count();
  }

  public String recorded(String file) {
    try (InputStream in = FakeMember.class.getResourceAsStream(folder + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    asked.add(path);
    byte[] question = exchange.getRequestBody().readAllBytes();
    // Read to the end, so that the connection can be used again; an answer may read it once more.
    exchange.setStreams(new ByteArrayInputStream(question), null);
    try (exchange) {
      String whole = exchange.getRequestURI().toString();
      answers.getOrDefault(whole, answers.getOrDefault(path, body(404, ""))).to(exchange);
    }
  }

  @Override
  public void close() {
    over.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
