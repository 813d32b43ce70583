package dev.belay.drivers.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.contract.Processes;
import dev.belay.drivers.wire.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Real etcd processes on loopback addresses of their own, called etcd-0, etcd-1, … */
final class RealEtcd implements AutoCloseable {

  private final Path dir;
  private final int size;
  private final String scheme;
  private final List<String> flags;
  private final Processes processes = new Processes();

  private RealEtcd(Path dir, int size, String scheme, List<String> flags) {
    this.dir = dir;
    this.size = size;
    this.scheme = scheme;
    this.flags = flags;
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
    all.addAll(flags.apply(etcd.processes.network()));
    IntStream.range(0, size).forEach(i -> etcd.run(i, version));
    return etcd;
  }

  List<Seat> seats() {
    return IntStream.range(0, size)
        .mapToObj(i -> new Seat("etcd-" + i, "etcd-" + i, URI.create(client(i))))
        .toList();
  }

  String host(int i) {
    return processes.host(i);
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
            Processes.binary("etcd-" + version, "etcd").toString(),
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
    processes.start(i, command, Map.of(), dir.resolve("etcd-" + i + ".log"));
  }

  /** SIGTERM, and waits until it is gone. */
  void stop(int i) {
    processes.stop(i);
  }

  /** SIGKILL, and waits until it is gone. */
  void kill(int i) {
    processes.kill(i);
  }

  boolean alive(int i) {
    return processes.alive(i);
  }

  /** STOP freezes it, CONT lets it go on. */
  void signal(int i, String name) {
    processes.signal(i, name);
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

  @Override
  public void close() {
    processes.close();
  }
}
