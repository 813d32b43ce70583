package dev.belay.demo;

import dev.belay.demo.Arena.Place;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** The MariaDB of one namespace, as examples/mysql.yaml deploys it, seen from outside of Belay. */
final class MysqlCluster implements AutoCloseable {

  static final String OLD = "10.11";
  static final String NEW = "11.4";

  private final Place place;
  private final Map<String, String> hosts = new TreeMap<>();
  private final NavigableMap<Instant, String> primaries = new ConcurrentSkipListMap<>();
  private final Thread watch = Thread.ofVirtual().unstarted(this::watch);
  private volatile boolean stopped;

  private MysqlCluster(Place place) {
    this.place = place;
  }

  /** The example as it is, and what its first lines say is to be done once. */
  static MysqlCluster deployed(Place place) {
    place.kubectl("apply", "-f", "examples/mysql.yaml");
    var cluster = new MysqlCluster(place);
    place.await("three servers answer", () -> cluster.versions().size() == 3);
    place.pods().forEach((name, pod) -> cluster.hosts.put(name, pod.getStatus().getPodIP()));
    cluster.open("mysql-0");
    cluster.app("mysql-0", "CREATE TABLE rows_written (id BIGINT PRIMARY KEY)");
    cluster.watch.start();
    return cluster;
  }

  /** As the example says it is done once, and whenever a primary comes back from a crash. */
  void open(String pod) {
    belay(pod, "SET GLOBAL rpl_semi_sync_master_enabled = 1");
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
    return hosts.entrySet().stream()
        .filter(e -> ask(e.getValue(), "SELECT @@GLOBAL.read_only").equals(Optional.of("0")))
        .map(Map.Entry::getKey)
        .toList();
  }

  private boolean replicates(String host) {
    try (Connection c = connect(host, "belay", "change-me");
        Statement s = c.createStatement();
        ResultSet r = s.executeQuery("SHOW SLAVE STATUS")) {
      return r.next()
          && "Yes".equals(r.getString("Slave_IO_Running"))
          && "Yes".equals(r.getString("Slave_SQL_Running"))
          && "0".equals(r.getString("Seconds_Behind_Master"));
    } catch (SQLException e) {
      return false;
    }
  }

  /** How many rows each server has. */
  Map<String, String> rows() {
    Map<String, String> rows = new TreeMap<>();
    hosts.forEach((name, host) ->
        ask(host, "SELECT COUNT(*) FROM app.rows_written").ifPresent(n -> rows.put(name, n)));
    return rows;
  }

  private void watch() {
    try {
      while (!stopped) {
        Instant asked = Instant.now();
        for (String pod : writable()) {
          primaries.put(asked, pod);
        }
        Thread.sleep(30);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Who was last seen to take writes before this moment. */
  Optional<String> primaryBefore(Instant moment) {
    return Optional.ofNullable(primaries.lowerEntry(moment)).map(Map.Entry::getValue);
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
        "jdbc:mariadb://%s:3306/%s?sslMode=disable&connectTimeout=1000&socketTimeout=15000"
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
