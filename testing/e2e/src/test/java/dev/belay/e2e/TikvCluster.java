package dev.belay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;

/** The stores of one namespace, as examples/tikv.yaml deploys them and as PD sees them. */
final class TikvCluster implements AutoCloseable {

  static final String OLD = "7.5.0";
  static final String NEW = "8.1.0";
  static final int STORES = 3;

  /**
   * One store by PD's account.
   *
   * @param started when its process began
   */
  record Store(String state, String version, long leaders, long started, boolean evicted) {}

  private final Place place;
  private final Web web = new Web();
  private final NavigableMap<Instant, Map<String, Store>> seen = new ConcurrentSkipListMap<>();
  private final Thread watch = Thread.ofVirtual().unstarted(this::watch);
  private volatile List<String> members = List.of();
  private volatile boolean stopped;

  private TikvCluster(Place place) {
    this.place = place;
  }

  /** The example as it is, every store leading regions. */
  static TikvCluster deployed(Place place) {
    place.kubectl("apply", "-f", "examples/tikv.yaml");
    var cluster = new TikvCluster(place);
    place.await("three stores lead regions", () -> cluster.find() && cluster.serves(OLD));
    cluster.watch.start();
    return cluster;
  }

  private boolean find() {
    members =
        place.pods().values().stream()
            .filter(p -> p.getMetadata().getName().startsWith("pd-"))
            .map(TikvCluster::host)
            .filter(host -> !host.isEmpty())
            .toList();
    return members.size() == STORES && place.ready() == 2 * STORES;
  }

  private static String host(Pod pod) {
    return Optional.ofNullable(pod.getStatus().getPodIP()).orElse("");
  }

  /** Every store is up on this version and may lead; leaders come back in PD's own time. */
  boolean serves(String version) {
    Map<String, Store> stores = stores();
    return stores.size() == STORES
        && stores.values().stream()
            .allMatch(s -> s.state.equals("Up") && s.version.equals(version) && !s.evicted)
        && stores.values().stream().mapToLong(Store::leaders).sum() == 12;
  }

  /** The stores that leaders are moved off. */
  List<String> evicted() {
    return stores().entrySet().stream()
        .filter(e -> e.getValue().evicted)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** By the pod they live in; empty while PD does not answer. */
  Map<String, Store> stores() {
    Optional<JsonNode> stores = ask("stores");
    Optional<JsonNode> schedulers = ask("schedulers");
    if (stores.isEmpty() || schedulers.isEmpty()) {
      return Map.of();
    }
    var evicted = new TreeSet<String>();
    ask("scheduler-config/evict-leader-scheduler/list")
        .ifPresent(l -> l.path("store-id-ranges").fieldNames().forEachRemaining(evicted::add));
    var byPod = new TreeMap<String, Store>();
    for (JsonNode s : stores.get().path("stores")) {
      JsonNode store = s.path("store");
      byPod.put(
          store.path("address").asText().split("\\.", 2)[0],
          new Store(
              store.path("state_name").asText(),
              store.path("version").asText(),
              s.path("status").path("leader_count").asLong(),
              store.path("start_timestamp").asLong(),
              evicted.contains(store.path("id").asText())));
    }
    return byPod;
  }

  private Optional<JsonNode> ask(String path) {
    return members.stream()
        .flatMap(host -> web.json(host, 2379, "/pd/api/v1/" + path, 2).stream())
        .findFirst();
  }

  private void watch() {
    try {
      while (!stopped) {
        Instant asked = Instant.now();
        Map<String, Store> stores = stores();
        if (!stores.isEmpty()) {
          seen.put(asked, stores);
        }
        Thread.sleep(50);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The store in this pod, as it was last seen before this moment. */
  Store before(Instant moment, String pod) {
    return seen.lowerEntry(moment).getValue().get(pod);
  }

  /** What was seen of it from this moment until PD heard of its next process. */
  List<Store> whileAway(Instant moment, String pod) {
    long started = before(moment, pod).started;
    return seen.tailMap(moment).values().stream()
        .map(stores -> stores.get(pod))
        .takeWhile(s -> s.started == started)
        .toList();
  }

  @Override
  public void close() {
    stopped = true;
    watch.interrupt();
    web.close();
  }
}
