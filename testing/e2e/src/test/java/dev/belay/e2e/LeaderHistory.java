package dev.belay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.demo.EtcdGateway;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** Who led when, as etcd's members tell it, looked at every few milliseconds. */
final class LeaderHistory implements AutoCloseable {

  private static final Duration BEAT = Duration.ofMillis(20);

  private final Map<URI, String> pods;
  private final EtcdGateway gateway = new EtcdGateway(Duration.ofMillis(150));
  private final Map<String, String> names = new HashMap<>();
  private final NavigableMap<Instant, String> leaders = new ConcurrentSkipListMap<>();
  private final Thread thread = Thread.ofVirtual().unstarted(this::watch);
  private volatile boolean stopped;

  /** Watches the members at these addresses, which are named by their ordinal. */
  static LeaderHistory of(List<URI> endpoints) {
    Map<URI, String> pods = new HashMap<>();
    for (int i = 0; i < endpoints.size(); i++) {
      pods.put(endpoints.get(i), "etcd-" + i);
    }
    var history = new LeaderHistory(pods);
    history.thread.start();
    return history;
  }

  private LeaderHistory(Map<URI, String> pods) {
    this.pods = pods;
  }

  private void watch() {
    try {
      while (!stopped) {
        for (URI endpoint : pods.keySet()) {
          ask(endpoint);
        }
        Thread.sleep(BEAT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A member that says it leads is believed, with the time before it was asked. */
  private void ask(URI endpoint) throws InterruptedException {
    Instant asked = Instant.now();
    try {
      JsonNode status = gateway.status(endpoint);
      names.put(
          status.path("header").path("member_id").asText(), String.valueOf(pods.get(endpoint)));
      Optional.ofNullable(names.get(status.path("leader").asText("0")))
          .ifPresent(leader -> leaders.put(asked, leader));
    } catch (IOException silent) {
      // It restarts; the others are asked too.
    }
  }

  /** The last reading from before this moment, if there is one that is not much older. */
  Optional<String> before(Instant moment) {
    return Optional.ofNullable(leaders.lowerEntry(moment))
        .filter(e -> e.getKey().isAfter(moment.minusSeconds(2)))
        .map(Map.Entry::getValue);
  }

  @Override
  public void close() {
    stopped = true;
    thread.interrupt();
    gateway.close();
  }
}
