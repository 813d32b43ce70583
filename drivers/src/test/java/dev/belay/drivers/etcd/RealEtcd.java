package dev.belay.drivers.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver.Seat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Real etcd processes on loopback addresses of their own, called etcd-0, etcd-1, … */
final class RealEtcd implements AutoCloseable {

  private final Path dir;
  private final String network = freeNetwork();
  private final int size;
  private final String scheme;
  private final List<String> flags;
  private final List<Process> processes;
  private final Thread onExit = new Thread(this::killAll);

  private RealEtcd(Path dir, int size, String scheme, List<String> flags) {
    this.dir = dir;
    this.size = size;
    this.scheme = scheme;
    this.flags = flags;
    this.processes = new ArrayList<>(Collections.nCopies(size, (Process) null));
    Runtime.getRuntime().addShutdownHook(onExit);
  }

  static RealEtcd start(Path dir, String version, int size, String... flags) {
    return start(dir, version, size, "http", network -> List.of(flags));
  }

  /** Flags may need the addresses, as certificates do: {@code network} is their common part. */
  static RealEtcd start(
      Path dir,
      String version,
      int size,
      String scheme,
      java.util.function.Function<String, List<String>> flags) {
    var all = new ArrayList<String>();
    var etcd = new RealEtcd(dir, size, scheme, all);
    all.addAll(flags.apply(etcd.network));
    IntStream.range(0, size).forEach(i -> etcd.run(i, version));
    return etcd;
  }

  List<Seat> seats() {
    return IntStream.range(0, size)
        .mapToObj(i -> new Seat("etcd-" + i, "etcd-" + i, URI.create(client(i))))
        .toList();
  }

  String host(int i) {
    return network + (i + 1);
  }

  String client(int i) {
    return scheme + "://" + host(i) + ":2379";
  }

  String peer(int i) {
    return "http://" + host(i) + ":2380";
  }

  /** Starts a member, again or for the first time, on its data. */
  void run(int i, String version) {
    String cluster =
        IntStream.range(0, size)
            .mapToObj(n -> "etcd-" + n + "=" + peer(n))
            .collect(Collectors.joining(","));
    launch(i, version, cluster, "new");
  }

  /** Starts a member that was added to the running cluster. */
  void join(int i, String version) {
    processes.add(null);
    String cluster =
        IntStream.rangeClosed(0, i)
            .mapToObj(n -> "etcd-" + n + "=" + peer(n))
            .collect(Collectors.joining(","));
    launch(i, version, cluster, "existing");
  }

  private void launch(int i, String version, String cluster, String state) {
    var command = new ArrayList<String>();
    command.addAll(
        List.of(
            binary(version).toString(),
            "--name=etcd-" + i,
            "--data-dir=" + dir.resolve("data-" + i),
            "--unsafe-no-fsync",
            "--initial-cluster=" + cluster,
            "--initial-cluster-state=" + state,
            "--listen-peer-urls=" + peer(i),
            "--initial-advertise-peer-urls=" + peer(i),
            "--listen-client-urls=" + client(i),
            "--advertise-client-urls=" + client(i)));
    command.addAll(flags);
    try {
      var log = dir.resolve("etcd-" + i + ".log").toFile();
      processes.set(
          i,
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path binary(String version) {
    String cache = System.getProperty("belay.cache", System.getenv("BELAY_CACHE"));
    Path root =
        cache == null
            ? Path.of(System.getProperty("user.home"), ".cache", "belay")
            : Path.of(cache);
    Path binary = root.resolve("etcd-" + version).resolve("etcd");
    if (!Files.isExecutable(binary)) {
      throw new IllegalStateException(binary + " is missing; run: make binaries");
    }
    return binary;
  }

  /** SIGTERM, and waits until it is gone. */
  void stop(int i) {
    processes.get(i).destroy();
    gone(i);
  }

  /** SIGKILL, and waits until it is gone. */
  void kill(int i) {
    processes.get(i).destroyForcibly();
    gone(i);
  }

  private void gone(int i) {
    try {
      if (!processes.get(i).waitFor(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("etcd-" + i + " does not stop");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean alive(int i) {
    return processes.get(i).isAlive();
  }

  /** STOP freezes it, CONT lets it go on. */
  void signal(int i, String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(processes.get(i).pid()))
          .start()
          .waitFor();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What an administrator would send; plain HTTP only. */
  JsonNode post(int i, String path, String json, String token) {
    var request =
        HttpRequest.newBuilder(URI.create(client(i) + path))
            .POST(HttpRequest.BodyPublishers.ofString(json));
    if (!token.isEmpty()) {
      request.header("Authorization", token);
    }
    try (var http = HttpClient.newHttpClient()) {
      var response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IllegalStateException(path + ": " + response.body());
      }
      return Wire.JSON.readTree(response.body());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(path, e);
    }
  }

  void write(int keys) {
    for (int n = 0; n < keys; n++) {
      post(0, "/v3/kv/put", "{\"key\":\"a2V5\",\"value\":\"dmFsdWU=\"}", "");
    }
  }

  private void killAll() {
    processes.stream().filter(p -> p != null).forEach(Process::destroyForcibly);
  }

  @Override
  public void close() {
    killAll();
    for (int i = 0; i < processes.size(); i++) {
      if (processes.get(i) != null) {
        gone(i);
      }
    }
    Runtime.getRuntime().removeShutdownHook(onExit);
  }

  /** 127.x.y. on which nobody listens yet: tests may run side by side. */
  private static String freeNetwork() {
    String network;
    do {
      var random = ThreadLocalRandom.current();
      network = "127." + random.nextInt(100, 250) + "." + random.nextInt(1, 250) + ".";
    } while (!isFree(network));
    return network;
  }

  private static boolean isFree(String network) {
    try (var probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(InetAddress.getAllByName(network + "1")[0], 2380));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
