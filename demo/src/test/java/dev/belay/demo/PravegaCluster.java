package dev.belay.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.belay.demo.Arena.Place;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The Pravega of one namespace, as examples/pravega.yaml deploys it, and a client at work. */
final class PravegaCluster implements AutoCloseable {

  static final String NAME = "pravega";

  /** Of the cluster's first version: clients are rarely newer than what they write to. */
  private static final String CLIENT =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: events}
      spec:
        terminationGracePeriodSeconds: 1
        containers:
        - name: events
          image: pravega:0.11.0
          args: [events, "tcp://controller:9090", $(POD_IP), "8000"]
          env:
          - name: POD_IP
            valueFrom: {fieldRef: {fieldPath: status.podIP}}
      """;

  /**
   * What the client says of its events.
   *
   * @param lost acknowledged events that are not in the stream
   * @param twice events that are in it more than once
   */
  record Figures(long acknowledged, long readBack, long lost, long twice, Duration longestGap) {}

  private final Place place;
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();
  private final ObjectMapper json = new ObjectMapper();

  private PravegaCluster(Place place) {
    this.place = place;
  }

  /** The example as it is, and a client at work. */
  static PravegaCluster deployed(Place place) {
    place.kubectl("apply", "-f", "examples/pravega.yaml");
    var cluster = new PravegaCluster(place);
    place.await("the controller answers", () -> cluster.ready("controller-", 9091));
    place.await("the segment stores are ready", () -> cluster.ready("segmentstore-", 6061));
    place.apply(CLIENT);
    place.await("events are read back", () -> cluster.figures().readBack() > 0);
    return cluster;
  }

  /** Whether all whose names begin so say it in their bodies. */
  private boolean ready(String prefix, int port) {
    List<String> hosts =
        place.pods().entrySet().stream()
            .filter(e -> e.getKey().startsWith(prefix))
            .map(e -> Optional.ofNullable(e.getValue().getStatus().getPodIP()).orElse(""))
            .toList();
    return !hosts.isEmpty()
        && hosts.stream()
            .allMatch(
                h -> get(h, port, "/v1/health/readiness", 2).filter("true"::equals).isPresent());
  }

  /** What each pod runs, by name; of the controller, whose pods are nobody in particular, one. */
  TreeMap<String, String> images() {
    var images = new TreeMap<String, String>();
    place
        .imageByPod()
        .forEach((pod, image) -> {
          boolean rolled = pod.startsWith("bookie-") || pod.startsWith("segmentstore-");
          if (rolled || pod.startsWith("controller-")) {
            images.put(rolled ? pod : "controller", image);
          }
        });
    return images;
  }

  /** Writes and reads go on: more was acknowledged, and came back, than when this was called. */
  void awaitTraffic() {
    Figures before = figures();
    place.await(
        "events are written and read back",
        () -> figures().readBack() > before.acknowledged() && figures().acknowledged() > 0);
  }

  Figures figures() {
    return ask("");
  }

  /** Ends the writing, and has the whole stream read once more. */
  Figures verify() {
    return ask("verify");
  }

  private Figures ask(String path) {
    String host =
        Optional.ofNullable(place.pods().get("events"))
            .map(p -> p.getStatus().getPodIP())
            .orElse("");
    JsonNode said =
        get(host, 8000, "/" + path, 60).flatMap(this::tree).orElse(json.createObjectNode());
    return new Figures(
        said.path("acknowledged").asLong(),
        said.path("readBack").asLong(),
        said.path("lost").asLong(-1),
        said.path("twice").asLong(-1),
        Duration.ofMillis(said.path("longestGapMillis").asLong()));
  }

  private Optional<JsonNode> tree(String text) {
    try {
      return Optional.of(json.readTree(text));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private Optional<String> get(String host, int port, String path, int seconds) {
    if (host.isEmpty()) {
      return Optional.empty();
    }
    var request =
        HttpRequest.newBuilder(URI.create("http://" + host + ":" + port + path))
            .timeout(Duration.ofSeconds(seconds))
            .build();
    try {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
    } catch (IOException silent) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
