package dev.belay.e2e;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The servers of one namespace, as an example deploys them, seen from outside of Belay. */
final class MysqlCluster implements AutoCloseable {

  static final String OLD = "10.11";
  static final String NEW = "11.4";

  /** What was seen longer ago says nothing about a moment. */
  private static final Duration FRESH = Duration.ofSeconds(5);

  /** In whose words the servers are spoken with. */
  enum Kind {
    MARIADB("examples/mysql.yaml", "master", "SHOW SLAVE STATUS", "Slave", "Master"),
    MYSQL("examples/mysql-9.yaml", "source", "SHOW REPLICA STATUS", "Replica", "Source");

    private final String example;
    private final String semiSync;
    private final String status;
    private final String replica;
    private final String source;

    Kind(String example, String semiSync, String status, String replica, String source) {
      this.example = example;
      this.semiSync = semiSync;
      this.status = status;
      this.replica = replica;
      this.source = source;
    }
  }

  private final Place place;
  private final Kind kind;
  private final Map<String, String> hosts = new TreeMap<>();
  private final NavigableMap<Instant, List<String>> primaries = new ConcurrentSkipListMap<>();
  private final List<String> doubles = new CopyOnWriteArrayList<>();
  private final Thread watch = Thread.ofVirtual().unstarted(this::watch);
  private volatile boolean stopped;

  private MysqlCluster(Place place, Kind kind) {
    this.place = place;
    this.kind = kind;
  }

  /** The example as it is, and what its first lines say is to be done once. */
  static MysqlCluster deployed(Place place) {
    return deployed(place, Kind.MARIADB);
  }

  static MysqlCluster deployed(Place place, Kind kind) {
    place.kubectl("apply", "-f", kind.example);
    var cluster = new MysqlCluster(place, kind);
    place.await("three servers answer", () -> cluster.versions().size() == 3);
    place.pods().forEach((name, pod) -> cluster.hosts.put(name, pod.getStatus().getPodIP()));
    cluster.open("mysql-0");
    cluster.app("mysql-0", "CREATE TABLE rows_written (id BIGINT PRIMARY KEY)");
    cluster.watch.start();
    return cluster;
  }

  /** As the example says it is done once, and whenever a primary comes back from a crash. */
  void open(String pod) {
    belay(pod, "SET GLOBAL rpl_semi_sync_" + kind.semiSync + "_enabled = 1");
    belay(pod, "SET GLOBAL read_only = 0");
  }

  /** What makes the server in this pod crash whenever it is started: its system tablespace. */
  Ruin ruin(String pod) {
    return new Ruin(place, pod, "/ibdata1");
  }

  /** Where the servers answer; the addresses outlive the pods. */
  List<String> endpoints() {
    return List.copyOf(hosts.values());
  }

  /** What each server that answers says it is. */
  Map<String, String> versions() {
    Map<String, String> versions = new TreeMap<>();
    place
        .pods()
        .forEach((name, pod) ->
            ask(pod.getStatus().getPodIP(), "SELECT VERSION()")
                .ifPresent(v -> versions.put(name, v)));
    return versions;
  }

  boolean serves(String version) {
    Map<String, String> versions = versions();
    return versions.size() == 3
        && versions.values().stream().allMatch(v -> v.startsWith(version + "."))
        && writable().size() == 1
        && hosts.values().stream().filter(this::replicates).count() == 2;
  }

  /** The pods whose servers take writes. */
  List<String> writable() {
    return readOnly().entrySet().stream()
        .filter(e -> e.getValue().equals("0"))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** What each server that answers says of itself: 1 where it takes no writes. */
  Map<String, String> readOnly() {
    return asked("SELECT @@GLOBAL.read_only");
  }

  private boolean replicates(String host) {
    try (Connection c = connect(host, "belay", "change-me");
        Statement s = c.createStatement();
        ResultSet r = s.executeQuery(kind.status)) {
      return r.next()
          && "Yes".equals(r.getString(kind.replica + "_IO_Running"))
          && "Yes".equals(r.getString(kind.replica + "_SQL_Running"))
          && "0".equals(r.getString("Seconds_Behind_" + kind.source));
    } catch (SQLException e) {
      return false;
    }
  }

  /** How many rows each server has. */
  Map<String, String> rows() {
    return asked("SELECT COUNT(*) FROM app.rows_written");
  }

  /** What each server that answers says to this. */
  private Map<String, String> asked(String sql) {
    Map<String, String> answers = new TreeMap<>();
    hosts.forEach((name, host) -> ask(host, sql).ifPresent(n -> answers.put(name, n)));
    return answers;
  }

  private void watch() {
    try {
      while (!stopped) {
        List<String> seen = writable();
        primaries.put(Instant.now(), seen);
        // They are asked one after the other: the first is a second primary only if it still is one
        // when another was.
        if (seen.size() > 1 && writable().contains(seen.getFirst())) {
          doubles.add(Instant.now() + " " + seen);
        }
        Thread.sleep(30);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Who took writes when it was last looked, just before this moment; nobody if that is unknown.
   */
  List<String> primariesBefore(Instant moment) {
    return Optional.ofNullable(primaries.lowerEntry(moment))
        .filter(e -> e.getKey().isAfter(moment.minus(FRESH)))
        .map(Map.Entry::getValue)
        .orElse(List.of());
  }

  /** The moments at which more than one took writes. */
  List<String> doubles() {
    return List.copyOf(doubles);
  }

  private void belay(String pod, String sql) {
    run(hosts.get(pod), "belay", "change-me", sql);
  }

  private void app(String pod, String sql) {
    run(hosts.get(pod), "app", "change-me-too", sql);
  }

  private static void run(String host, String user, String password, String sql) {
    try (Connection c = connect(host, user, password);
        Statement s = c.createStatement()) {
      s.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private static Optional<String> ask(String host, String sql) {
    try (Connection c = connect(host, "app", "change-me-too");
        Statement s = c.createStatement();
        ResultSet r = s.executeQuery(sql)) {
      return r.next() ? Optional.of(r.getString(1)) : Optional.empty();
    } catch (SQLException silent) {
      return Optional.empty();
    }
  }

  static Connection connect(String host, String user, String password) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:mariadb://%s:3306/%s?sslMode=disable&allowPublicKeyRetrieval=true&connectTimeout=1000&socketTimeout=15000"
            .formatted(host, user.equals("app") ? "app" : ""),
        user,
        password);
  }

  @Override
  public void close() {
    stopped = true;
    watch.interrupt();
  }
}
