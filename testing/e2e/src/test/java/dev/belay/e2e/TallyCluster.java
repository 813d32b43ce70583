package dev.belay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** The tally of one namespace, as examples/http.yaml deploys it, watched from outside of Belay. */
final class TallyCluster implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration BEAT = Duration.ofMillis(20);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofMillis(200))
          .build();
  private final Place place;
  private final Map<String, URI> members;
  private final NavigableMap<Instant, String> leaders = new ConcurrentSkipListMap<>();
  private final Thread watch = Thread.ofVirtual().unstarted(this::watch);

  /** Once the members have their addresses, which outlive the pods. */
  TallyCluster(Place place) {
    this.place = place;
    place.await("three members serve", () -> place.ready() == 3);
    members = new TreeMap<>();
    place
        .pods()
        .forEach((name, pod) ->
            members.put(name, URI.create("http://" + pod.getStatus().getPodIP() + ":7070")));
    watch.start();
  }

  Map<String, URI> members() {
    return members;
  }

  HttpResponse<String> get(URI member, String path) throws IOException, InterruptedException {
    return http.send(request(member, path, PATIENCE).GET().build(), BodyHandlers.ofString());
  }

  HttpResponse<String> post(URI member, String path, String body)
      throws IOException, InterruptedException {
    return http.send(
        request(member, path, PATIENCE).POST(BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }

  /**
   * What one member says of its drain; it keeps that over restarts.
   *
   * @param times how often it was drained
   */
  record Drain(boolean drained, long times) {}

  /** Of all who answer. */
  List<Drain> drains() {
    var found = new ArrayList<Drain>();
    for (URI member : members.values()) {
      try {
        JsonNode said = JSON.readTree(get(member, "/drain").body());
        found.add(new Drain(said.path("drained").asBoolean(true), said.path("times").asLong(-1)));
      } catch (IOException silent) {
        // Whoever does not answer is not counted.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return found;
  }

  /** What makes the member in this pod crash whenever it is started: its log. */
  Ruin ruin(String pod) {
    return new Ruin(place, pod, "/log");
  }

  private static HttpRequest.Builder request(URI member, String path, Duration patience) {
    return HttpRequest.newBuilder(member.resolve(path)).timeout(patience);
  }

  private Optional<JsonNode> status(URI member) throws InterruptedException {
    try {
      var request = request(member, "/status", Duration.ofMillis(150)).GET().build();
      return Optional.of(JSON.readTree(http.send(request, BodyHandlers.ofString()).body()));
    } catch (IOException silent) {
      return Optional.empty();
    }
  }

  /** A member that says it leads is believed, with the time before it was asked. */
  private void watch() {
    try {
      while (true) {
        for (var member : members.entrySet()) {
          Instant asked = Instant.now();
          status(member.getValue())
              .filter(s -> s.at("/raft/role").asText().equals("leader"))
              .ifPresent(_ -> leaders.put(asked, member.getKey()));
        }
        Thread.sleep(BEAT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The last reading from before this moment, if there is one that is not much older. */
  Optional<String> leaderBefore(Instant moment) {
    return Optional.ofNullable(leaders.lowerEntry(moment))
        .filter(e -> e.getKey().isAfter(moment.minusSeconds(2)))
        .map(Map.Entry::getValue);
  }

  /** STOP: the process stays, its connections stay, it answers nobody; until CONT. */
  void signal(String pod, String signal) throws IOException, InterruptedException {
    long pid = place.arena().sandbox().pidOf(place.namespace(), pod).orElseThrow();
    int code = new ProcessBuilder("kill", "-" + signal, String.valueOf(pid)).start().waitFor();
    if (code != 0) {
      throw new IOException("kill -" + signal + " ended with " + code);
    }
  }

  /** Moves leadership to the member in this pod, and sees it arrive. */
  void lead(String pod) {
    place.await(
        pod + " leads",
        () -> {
          boolean arrived = leaderBefore(Instant.now()).filter(pod::equals).isPresent();
          if (!arrived) {
            askToLead(pod);
          }
          return arrived;
        });
  }

  private void askToLead(String pod) {
    try {
      for (URI member : members.values()) {
        Optional<JsonNode> status = status(member);
        if (status.filter(s -> s.at("/raft/role").asText().equals("leader")).isPresent()) {
          String term = status.get().at("/raft/term").asText();
          post(member, "/stepdown?to=" + pod + "&term=" + term, "");
        }
      }
    } catch (IOException notNow) {
      // Looked at again by whoever waits for the new leader.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    watch.interrupt();
    http.shutdownNow();
  }
}
