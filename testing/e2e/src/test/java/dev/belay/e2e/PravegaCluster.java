package dev.belay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
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
  private final Web web = new Web();

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
            .allMatch(h ->
                web.get(h, port, "/v1/health/readiness", 2).filter("true"::equals).isPresent());
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

  /** The process of a pod, also of one that is going. */
  void signal(String pod, String signal) {
    long pid = place.arena().sandbox().pidOf(place.namespace(), pod).orElseThrow();
    try {
      int code = new ProcessBuilder("kill", "-" + signal, String.valueOf(pid)).start().waitFor();
      if (code != 0) {
        throw new AssertionError("kill -" + signal + " " + pod + " ended with " + code);
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  boolean isGoing(String pod) {
    return Optional.ofNullable(place.pods().get(pod))
        .filter(p -> p.getMetadata().getDeletionTimestamp() != null)
        .isPresent();
  }

  /** How many bookies say that they take writes. */
  long writableBookies() {
    return place.pods().entrySet().stream()
        .filter(e -> e.getKey().startsWith("bookie-"))
        .filter(e ->
            web.json(e.getValue().getStatus().getPodIP(), 8080, "/api/v1/bookie/state", 5)
                .filter(s -> !s.path("readOnly").asBoolean(true))
                .isPresent())
        .count();
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
    JsonNode said = web.figures(place, "events", path);
    return new Figures(
        said.path("acknowledged").asLong(),
        said.path("readBack").asLong(),
        said.path("lost").asLong(-1),
        said.path("twice").asLong(-1),
        Duration.ofMillis(said.path("longestGapMillis").asLong()));
  }

  @Override
  public void close() {
    web.close();
  }
}
