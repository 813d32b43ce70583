package dev.belay.drivers.mysql;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.DriverConfig.Auth;
import dev.belay.drivers.contract.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Real servers on loopback addresses of their own, called mysql-0, mysql-1, …; 9.7 is MySQL. */
final class RealMariaDb implements AutoCloseable {

  static final DriverConfig CONFIG =
      new DriverConfig(Optional.empty(), Optional.of(new Auth("belay", "it's \\ secret")));

  /** The rights that docs/drivers/mysql.md asks for, and no more. */
  static final String RIGHTS =
      "SLAVE MONITOR, REPLICATION SLAVE ADMIN, REPLICATION MASTER ADMIN, READ_ONLY ADMIN, RELOAD,"
          + " REPLICATION SLAVE";

  static final String MYSQL_RIGHTS =
      "REPLICATION CLIENT, REPLICATION SLAVE, RELOAD, REPLICATION_SLAVE_ADMIN,"
          + " SYSTEM_VARIABLES_ADMIN, CONNECTION_ADMIN";

  private final Flavor flavor;
  private final Path dir;
  private final int size;
  private final List<String> flags;
  private final Map<Integer, String> versions = new HashMap<>();
  final Processes processes = new Processes();

  private RealMariaDb(Flavor flavor, Path dir, int size, Function<String, List<String>> flags) {
    this.flavor = flavor;
    this.dir = dir;
    this.size = size;
    this.flags = flags.apply(processes.network());
  }

  /** The first one is the primary, waits for one replica at every commit, and takes writes. */
  static RealMariaDb start(Path dir, String version, int size, String... flags) {
    return start(dir, version, size, network -> List.of(flags));
  }

  /** Flags may need the addresses, as certificates do: {@code network} is their common part. */
  static RealMariaDb start(
      Path dir, String version, int size, Function<String, List<String>> flags) {
    Flavor flavor = flavor(version);
    var servers = new RealMariaDb(flavor, dir, size, flags);
    for (int i = 0; i < size; i++) {
      servers.prepare(i);
      servers.run(i, version);
    }
    IntStream.range(0, size).forEach(servers::awaitUp);
    servers.admin(
        0,
        flavor == Flavor.MYSQL
            ? "SET GLOBAL rpl_semi_sync_source_enabled = 1"
            : "SET GLOBAL rpl_semi_sync_master_enabled = 1");
    servers.admin(0, "SET GLOBAL read_only = 0");
    servers.app(0, "CREATE TABLE t (id BIGINT PRIMARY KEY)");
    return servers;
  }

  static Flavor flavor(String version) {
    return version.matches("[89]\\..*") ? Flavor.MYSQL : Flavor.MARIADB;
  }

  private static String image(String version) {
    return "images/" + (flavor(version) == Flavor.MYSQL ? "mysql/" : "mariadb/") + version;
  }

  /** MySQL comes from distributions that may move on, so that nobody depends on it. */
  static void assumeThere(String version) {
    if (flavor(version) == Flavor.MYSQL) {
      try {
        Processes.binary(image(version), "entrypoint");
      } catch (IllegalStateException missing) {
        abort("no image of MySQL " + version + "; testing/sandbox/images/get mysql says why");
      }
    }
  }

  private void prepare(int i) {
    var sql =
        new ArrayList<>(
            List.of(
                "SET SESSION sql_log_bin = 0",
                "CREATE USER belay@'%' IDENTIFIED BY 'it''s \\\\ secret'",
                "GRANT "
                    + (flavor == Flavor.MYSQL ? MYSQL_RIGHTS : RIGHTS)
                    + " ON *.* TO belay@'%'",
                "CREATE USER admin@'%' IDENTIFIED BY 'pw'",
                "GRANT ALL ON *.* TO admin@'%'",
                "CREATE USER app@'%' IDENTIFIED BY 'pw'",
                "CREATE DATABASE app",
                "GRANT ALL ON app.* TO app@'%'"));
    if (flavor == Flavor.MYSQL) {
      sql.add("GRANT SELECT ON performance_schema.variables_info TO belay@'%'");
    }
    if (i > 0) {
      sql.add(
          (flavor == Flavor.MYSQL
                  ? "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '%s', SOURCE_PORT = 3306, SOURCE_USER = 'admin', SOURCE_PASSWORD = 'pw', GET_SOURCE_PUBLIC_KEY = 1, SOURCE_AUTO_POSITION = 1, SOURCE_CONNECT_RETRY = 1"
                  : "CHANGE MASTER TO MASTER_HOST = '%s', MASTER_PORT = 3306, MASTER_USER = 'admin', MASTER_PASSWORD = 'pw', MASTER_SSL = 0, MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1")
              .formatted(processes.host(0)));
      sql.add(flavor == Flavor.MYSQL ? "START REPLICA" : "START SLAVE");
    }
    try {
      Files.createDirectories(dir.resolve("data-" + i));
      Files.createDirectories(dir.resolve("init-" + i));
      Files.writeString(dir.resolve("init-" + i).resolve("a.sql"), String.join(";\n", sql) + ";\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a server, again or for the first time, on its data. */
  void run(int i, String version) {
    versions.put(i, version);
    var command =
        new ArrayList<>(
            List.of(
                Processes.binary(image(version), "entrypoint").toString(),
                "--bind-address=" + processes.host(i),
                "--port=3306",
                "--server-id=" + (i + 1),
                "--log-bin=bin",
                "--innodb-buffer-pool-size=16M",
                "--innodb-flush-log-at-trx-commit=2",
                "--skip-name-resolve"));
    command.addAll(
        flavor == Flavor.MYSQL
            ? List.of(
                "--gtid-mode=ON",
                "--enforce-gtid-consistency=ON",
                "--plugin-load-add=semisync_source.so",
                "--plugin-load-add=semisync_replica.so",
                "--loose-rpl-semi-sync-replica-enabled=1")
            : List.of(
                "--log-slave-updates=1",
                "--gtid-strict-mode=1",
                "--rpl-semi-sync-slave-enabled=1"));
    command.add("--read-only=1");
    command.addAll(flags);
    String data = dir.resolve("data-" + i).toString();
    String first = dir.resolve("init-" + i).toString();
    processes.start(
        i,
        command,
        Map.of(
            "MARIADB_DATA", data, "MARIADB_INIT", first, "MYSQL_DATA", data, "MYSQL_INIT", first),
        dir.resolve("mysql-" + i + ".log"));
  }

  void restart(int i, String version) {
    processes.stop(i);
    run(i, version);
    awaitUp(i);
  }

  String version(int i) {
    return versions.get(i);
  }

  private void awaitUp(int i) {
    long end = System.nanoTime() + 60_000_000_000L;
    while (true) {
      try (Connection c = connect(i, "admin")) {
        return;
      } catch (SQLException e) {
        if (System.nanoTime() > end || !processes.alive(i)) {
          throw new IllegalStateException("mysql-" + i + " does not come up: " + log(i), e);
        }
        pause();
      }
    }
  }

  private String log(int i) {
    try {
      return Files.readString(dir.resolve("mysql-" + i + ".log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  List<Seat> seats() {
    return IntStream.range(0, size)
        .mapToObj(i ->
            new Seat(
                "mysql-" + i, "mysql-" + i, URI.create("http://" + processes.host(i) + ":3306")))
        .toList();
  }

  private Connection connect(int i, String user) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:mariadb://%s:3306/?user=%s&password=pw&sslMode=disable&allowPublicKeyRetrieval=true&connectTimeout=2000"
            .formatted(processes.host(i), user));
  }

  void admin(int i, String sql) {
    execute(i, "admin", sql);
  }

  /** As an ordinary user, in the database app. */
  void app(int i, String sql) {
    execute(i, "app", sql);
  }

  private void execute(int i, String user, String sql) {
    try (Connection c = connect(i, user);
        Statement s = c.createStatement()) {
      if (user.equals("app")) {
        s.execute("USE app");
      }
      s.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql + " on mysql-" + i, e);
    }
  }

  /** Whether an ordinary user can write there. */
  boolean takes(int i, long id) {
    try (Connection c = connect(i, "app");
        Statement s = c.createStatement()) {
      s.execute("INSERT INTO app.t VALUES (" + id + ")");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  long count(int i) {
    try (Connection c = connect(i, "app");
        Statement s = c.createStatement();
        ResultSet r = s.executeQuery("SELECT COUNT(*) FROM app.t")) {
      r.next();
      return r.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    processes.close();
  }
}
