package dev.belay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** The bookies of one namespace, as examples/bookkeeper.yaml deploys them, seen from outside. */
final class BookkeeperCluster implements AutoCloseable {

  static final String OLD = "4.17.3";
  static final String NEW = "4.18.0";
  static final int BOOKIES = 4;

  /** A pod that writes and reads back ledgers of three copies, two of which are waited for. */
  private static final String CLIENT =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: ledgers}
      spec:
        terminationGracePeriodSeconds: 1
        containers:
        - name: ledgers
          image: bookkeeper:4.17.3
          args: [ledgers, "zk+hierarchical://zookeeper-0.zookeeper:2181/ledgers", "3", "3", "2", $(POD_IP), "8000"]
          env:
          - name: POD_IP
            valueFrom: {fieldRef: {fieldPath: status.podIP}}
      """;

  /**
   * What the client says of its entries.
   *
   * @param lost acknowledged entries that cannot be read
   */
  record Figures(long acknowledged, long readBack, long lost, Duration longestGap) {}

  private final Place place;
  private final Web web = new Web();
  private final Map<String, String> hosts = new TreeMap<>();
  private final Map<String, NavigableMap<Instant, Boolean>> seen = new TreeMap<>();
  private volatile boolean stopped;

  private BookkeeperCluster(Place place) {
    this.place = place;
  }

  /** The example as it is, and a client at work. */
  static BookkeeperCluster deployed(Place place) {
    place.kubectl("apply", "-f", "examples/bookkeeper.yaml");
    var cluster = new BookkeeperCluster(place);
    place.await("four bookies take writes", () -> cluster.find() && cluster.serves(0));
    place.apply(CLIENT);
    place.await("ledgers are read back", () -> cluster.figures("").readBack() > 0);
    cluster.watch();
    return cluster;
  }

  /** Each by itself: one that does not answer must not make the others' answers old. */
  private void watch() {
    hosts
        .keySet()
        .forEach(bookie -> {
          var answers = new ConcurrentSkipListMap<Instant, Boolean>();
          seen.put(bookie, answers);
          Thread.ofVirtual().start(() -> watch(bookie, answers));
        });
    place.await("every bookie is watched", () -> seen.values().stream().noneMatch(Map::isEmpty));
  }

  private boolean find() {
    place.pods().entrySet().stream()
        .filter(e -> e.getKey().startsWith("bookie-"))
        .forEach(e -> hosts.put(e.getKey(), e.getValue().getStatus().getPodIP()));
    return hosts.size() == BOOKIES;
  }

  /** Every bookie takes writes, somebody audits and restores copies, after so many seconds. */
  boolean serves(int delay) {
    Optional<JsonNode> cluster =
        web.json(hosts.get("bookie-0"), 8080, "/api/v1/bookie/cluster_info", 2);
    return writable().size() == BOOKIES
        && cluster.filter(c -> c.path("auditorElected").asBoolean()).isPresent()
        && cluster.filter(c -> c.path("ledgerReplicationEnabled").asBoolean()).isPresent()
        && delay().equals(Optional.of("lostBookieRecoveryDelay value: " + delay));
  }

  Optional<String> delay() {
    return web.get(
        hosts.get("bookie-0"), 8080, "/api/v1/autorecovery/lost_bookie_recovery_delay", 2);
  }

  /** As a user does it. */
  void setDelay(int seconds) {
    place.await(
        "recovery waits " + seconds + " s",
        () ->
            web.put(
                    hosts.get("bookie-0"),
                    8080,
                    "/api/v1/autorecovery/lost_bookie_recovery_delay",
                    "{\"delay_seconds\":" + seconds + "}")
                && serves(seconds));
  }

  /** What makes the bookie in this pod crash whenever it is started: its cookie. */
  Ruin ruin(String pod) {
    return new Ruin(place, pod, "/current/VERSION");
  }

  /** The bookies that say they take writes. */
  List<String> writable() {
    return hosts.keySet().stream().filter(this::takesWrites).toList();
  }

  /** One bookie, asked again and again; its answer counts from when it was there. */
  private void watch(String bookie, NavigableMap<Instant, Boolean> answers) {
    try {
      while (!stopped) {
        boolean takesWrites = takesWrites(bookie);
        answers.put(Instant.now(), takesWrites);
        Thread.sleep(50);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean takesWrites(String bookie) {
    return web.json(hosts.get(bookie), 8080, "/api/v1/bookie/state", 5)
        .filter(s -> s.path("running").asBoolean() && !s.path("readOnly").asBoolean(true))
        .isPresent();
  }

  /** Who took writes by the last answer that was there before this moment. */
  List<String> writableBefore(Instant moment) {
    return seen.entrySet().stream()
        .filter(e -> Optional.ofNullable(e.getValue().lowerEntry(moment)).orElseThrow().getValue())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The fewest that took writes at any moment since everybody has answered. */
  int fewest() {
    Instant first =
        seen.values().stream().map(NavigableMap::firstKey).max(Instant::compareTo).orElseThrow();
    return seen.values().stream()
        .flatMap(answers -> answers.tailMap(first, false).keySet().stream())
        .mapToInt(moment -> writableBefore(moment.plusNanos(1)).size())
        .min()
        .orElseThrow();
  }

  /** Ends the writing, and has every acknowledged entry read once more. */
  Figures verify() {
    return figures("verify");
  }

  private Figures figures(String path) {
    JsonNode said = web.figures(place, "ledgers", path);
    return new Figures(
        said.path("acknowledged").asLong(),
        said.path("readBack").asLong(),
        said.path("lost").asLong(-1),
        Duration.ofMillis(said.path("longestGapMillis").asLong()));
  }

  @Override
  public void close() {
    stopped = true;
    web.close();
  }
}
