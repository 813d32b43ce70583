package dev.belay.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/**
 * The pages of members that have none: at the address of each pod, which stays the same when a pod
 * comes back, a test says what is answered.
 */
final class Pages implements AutoCloseable {

  /** What a pod answers to a path. */
  record Said(int status, String body) {}

  /** What pods say. */
  @FunctionalInterface
  interface Script {
    /**
     * @param image what the pod of that name runs when it is asked
     */
    Said answer(String pod, String image, String path);
  }

  static final Said OK = new Said(200, "OK");
  static final Said DOWN = new Said(503, "no");

  private final Place place;
  private final List<HttpServer> servers = new ArrayList<>();
  private final int port;
  private final Map<String, Boolean> asked = new ConcurrentHashMap<>();
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());
  private volatile Script script = (_, _, _) -> OK;

  Pages(Place place) {
    this.place = place;
    this.port = freePort();
    place.pods().values().forEach(this::serve);
  }

  int port() {
    return port;
  }

  void script(Script next) {
    script = next;
  }

  /** Whether a pod was ever asked for a path. */
  boolean asked(String pod, String path) {
    return asked.containsKey(pod + path);
  }

  /** Everything that was asked so far, in order, as in {@code PUT tiny-2/drain}. */
  List<String> log() {
    synchronized (log) {
      return List.copyOf(log);
    }
  }

  private void serve(Pod pod) {
    try {
      var server = HttpServer.create(new InetSocketAddress(pod.getStatus().getPodIP(), port), 0);
      String name = pod.getMetadata().getName();
      server.createContext("/", exchange -> answer(name, exchange));
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.start();
      servers.add(server);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void answer(String pod, HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    asked.put(pod + path, true);
    log.add(exchange.getRequestMethod() + " " + pod + path);
    // A pod that is gone at this moment says nothing: the connection breaks off.
    Pod now = Objects.requireNonNull(place.pods().get(pod), pod + " is not there");
    String image = now.getSpec().getContainers().getFirst().getImage();
    Said said = script.answer(pod, image, path);
    byte[] body = said.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(said.status(), body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static int freePort() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    servers.forEach(s -> s.stop(0));
  }
}
