package dev.belay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The PD of one namespace, as examples/pd.yaml deploys it, seen from outside of Belay. */
final class PdCluster implements AutoCloseable {

  static final String OLD = "2023.2.3";
  static final String NEW = "2024.4.7";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMillis(400);

  /** The two leaders as one member sees them; empty where it sees none. */
  record Leaders(String pd, String etcd) {

    boolean are(String pod) {
      return pd.equals(pod) && etcd.equals(pod);
    }
  }

  private final Place place;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE).build();

  PdCluster(Place place) {
    this.place = place;
  }

  /** Where the members answer; the addresses outlive the pods. */
  List<URI> endpoints() {
    return place.pods().values().stream().map(PdCluster::endpoint).toList();
  }

  private static URI endpoint(Pod pod) {
    return URI.create("http://" + pod.getStatus().getPodIP() + ":2379");
  }

  /** What each member that answers says it is. */
  Map<String, String> versions() {
    Map<String, String> versions = new TreeMap<>();
    place
        .pods()
        .forEach((name, pod) ->
            ask(endpoint(pod), "version")
                .ifPresent(v -> versions.put(name, v.path("version").asText())));
    return versions;
  }

  /** Whether all members run this version and every one of them sees the same two leaders. */
  boolean serves(String version) {
    Map<String, String> versions = versions();
    return versions.size() == 3
        && versions.values().stream().allMatch(("v" + version)::equals)
        && place.ready() == 3
        && agreed().isPresent();
  }

  /** The one member that leads PD and its etcd by the account of all. */
  private Optional<String> agreed() {
    List<Leaders> seen = endpoints().stream().flatMap(e -> leaders(e).stream()).toList();
    return seen.size() == 3
            && seen.stream().distinct().count() == 1
            && !seen.getFirst().pd().isEmpty()
            && seen.getFirst().are(seen.getFirst().pd())
        ? Optional.of(seen.getFirst().pd())
        : Optional.empty();
  }

  Optional<Leaders> leaders(URI member) {
    return ask(member, "members")
        .map(m ->
            new Leaders(
                m.path("leader").path("name").asText(),
                m.path("etcd_leader").path("name").asText()));
  }

  /** Moves leadership to the member in this pod, and sees both leaders arrive. */
  void lead(String pod) {
    place.await(
        pod + " leads",
        () -> {
          Optional<String> now = agreed();
          if (now.isPresent() && !now.get().equals(pod)) {
            post(endpoint(place.pods().get(now.get())), "leader/transfer/" + pod);
          }
          return now.equals(Optional.of(pod));
        });
  }

  /** What makes the member in this pod crash whenever it is started: its log. */
  Ruin ruin(String pod) {
    return new Ruin(place, pod, ".wal");
  }

  private Optional<JsonNode> ask(URI member, String path) {
    return send(
        HttpRequest.newBuilder(member.resolve("/pd/api/v1/" + path))
            .header("PD-Allow-follower-handle", "true"));
  }

  private void post(URI member, String path) {
    send(
        HttpRequest.newBuilder(member.resolve("/pd/api/v1/" + path))
            .POST(HttpRequest.BodyPublishers.noBody()));
  }

  /** Nothing when it does not answer well: that is looked at again by whoever waits. */
  private Optional<JsonNode> send(HttpRequest.Builder request) {
    try {
      var response =
          http.send(request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofByteArray());
      return response.statusCode() == 200
          ? Optional.of(JSON.readTree(response.body()))
          : Optional.empty();
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
