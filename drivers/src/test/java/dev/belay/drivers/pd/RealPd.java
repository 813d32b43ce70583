package dev.belay.drivers.pd;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.contract.Processes;
import dev.belay.drivers.wire.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Real PD processes on loopback addresses of their own, called pd-0, pd-1, … */
public final class RealPd implements AutoCloseable {

  private final Path dir;
  private final int size;
  private final String scheme;
  private final List<String> flags = new ArrayList<>();
  public final Processes processes = new Processes();

  private RealPd(Path dir, int size, String scheme) {
    this.dir = dir;
    this.size = size;
    this.scheme = scheme;
  }

  public static RealPd start(Path dir, String version, int size, String... flags) {
    return start(dir, version, size, "http", network -> List.of(flags));
  }

  /** Flags may need the addresses, as certificates do: {@code network} is their common part. */
  static RealPd start(
      Path dir, String version, int size, String scheme, Function<String, List<String>> flags) {
    var pd = new RealPd(dir, size, scheme);
    pd.flags.addAll(flags.apply(pd.processes.network()));
    IntStream.range(0, size).forEach(i -> pd.run(i, version));
    return pd;
  }

  List<Seat> seats() {
    return IntStream.range(0, size)
        .mapToObj(i -> new Seat("pd-" + i, "pd-" + i, URI.create(client(i))))
        .toList();
  }

  public String client(int i) {
    return scheme + "://" + processes.host(i) + ":2379";
  }

  private String peer(int i) {
    return scheme + "://" + processes.host(i) + ":2380";
  }

  /** Starts a member, again or for the first time, on its data. */
  void run(int i, String version) {
    var command =
        new ArrayList<>(
            List.of(
                Processes.binary("pd-" + version, "pd-server").toString(),
                "--name=pd-" + i,
                "--data-dir=" + dir.resolve("data-" + i),
                "--client-urls=" + client(i),
                "--advertise-client-urls=" + client(i),
                "--peer-urls=" + peer(i),
                "--advertise-peer-urls=" + peer(i),
                "--initial-cluster="
                    + IntStream.range(0, size)
                        .mapToObj(n -> "pd-" + n + "=" + peer(n))
                        .collect(Collectors.joining(","))));
    command.addAll(flags);
    // The etcd in these builds registers a pattern that the mux of newer Go releases refuses.
    processes.start(
        i, command, Map.of("GODEBUG", "httpmuxgo121=1"), dir.resolve("pd-" + i + ".log"));
  }

  /** A file of settings that have no flag. */
  static Path settings(Path dir, String toml) {
    try {
      return Files.writeString(dir.resolve("pd.toml"), toml);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What an administrator would send; plain HTTP only. */
  public String post(int i, String path, String json) {
    var request =
        HttpRequest.newBuilder(URI.create(client(i) + path))
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build();
    try (var http = HttpClient.newHttpClient()) {
      var response = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IllegalStateException(path + ": " + response.body());
      }
      return response.body();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(path, e);
    }
  }

  /** Who leads PD, in the words of one member; empty when nobody does. */
  public String leader(int i) {
    var request = HttpRequest.newBuilder(URI.create(client(i) + "/pd/api/v1/leader")).build();
    try (var http = HttpClient.newHttpClient()) {
      var response = http.send(request, HttpResponse.BodyHandlers.ofString());
      return response.statusCode() == 200
          ? Wire.JSON.readTree(response.body()).path("name").asText("")
          : "";
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("/pd/api/v1/leader", e);
    }
  }

  @Override
  public void close() {
    processes.close();
  }
}
