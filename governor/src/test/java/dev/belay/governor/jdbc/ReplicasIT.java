package dev.belay.governor.jdbc;

import static dev.belay.governor.jdbc.EveryDatabase.options;
import static dev.belay.governor.jdbc.EveryDatabase.wish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.governor.Refusal;
import dev.belay.governor.queue.Effect.Rest;
import dev.belay.governor.queue.Effect.Rest.Why;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A primary with a streaming replica that can be made to lag. */
class ReplicasIT {

  private record Pair(Target primary, Target replica) {}

  @ParameterizedTest(name = "PostgreSQL {0}")
  @EnumSource(Postgres.Release.class)
  void postgres_waits_for_the_replica(Postgres.Release release) throws Exception {
    try (Postgres primary = Postgres.start(release)) {
      Target home = primary.database();
      try (Postgres standby = primary.standby()) {
        Target replica =
            new Target(
                home.url().replace("" + primary.port(), "" + standby.port()),
                "postgres",
                Optional.empty());
        Pair pair = new Pair(home, replica);
        nothing_begins_before_the_replica_is_there(pair);
        the_next_operation_waits_until_the_replica_has_replayed(
            pair, "SELECT pg_wal_replay_pause()", "SELECT pg_wal_replay_resume()");
        a_replica_is_no_master(pair, "pg_is_in_recovery");
        add(home, "SELECT 1");
        assertThat(work(home, List.of(home)).reason()).contains("it is no replica");
        Target stranger = Postgres.shared().database();
        assertThat(work(stranger, List.of()).why()).isEqualTo(Why.DRAINED);
        add(stranger, "SELECT 1");
        assertThat(work(stranger, List.of(replica)).reason())
            .contains("has not begun", "it is a replica of none of the given masters");
      }
    }
  }

  @Test
  void mariadb_waits_for_the_replica() throws Exception {
    try (MariaDb primary = MariaDb.start("--log-bin", "--server-id=1");
        MariaDb standby = MariaDb.start("--log-bin", "--server-id=2", "--log-slave-updates")) {
      run(
          standby.target("mysql"),
          "CHANGE MASTER TO master_host = '127.0.0.1', master_port = "
              + primary.port()
              + ", master_user = 'root', master_use_gtid = slave_pos, master_connect_retry = 1, master_ssl = 0,"
              + " master_ssl_verify_server_cert = 0",
          "START SLAVE");
      Target home = primary.database();
      Target replica =
          standby.target(home.url().substring(home.url().lastIndexOf('/') + 1).split("\\?")[0]);
      Pair pair = new Pair(home, replica);
      nothing_begins_before_the_replica_is_there(pair);
      the_next_operation_waits_until_the_replica_has_replayed(
          pair, "STOP SLAVE SQL_THREAD", "START SLAVE");
      a_replica_is_no_master(pair, "it replicates from another server");
      run(replica, "SET GLOBAL read_only = 1");
      a_replica_is_no_master(pair, "it is read-only");
    }
  }

  @Test
  @EnabledIf(value = "dev.belay.governor.jdbc.MySql#there", disabledReason = "src/test/mysql/get")
  void mysql_waits_for_the_replica() throws Exception {
    String[] gtid = {"--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--server-id=2"};
    try (MySql primary = MySql.start(gtid[0], gtid[1]);
        MySql standby = MySql.start(gtid)) {
      run(
          standby.target("mysql"),
          "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = "
              + primary.port()
              + ", SOURCE_USER = 'root', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1",
          "START REPLICA");
      Target home = primary.database();
      Target replica =
          standby.target(home.url().substring(home.url().lastIndexOf('/') + 1).split("\\?")[0]);
      Pair pair = new Pair(home, replica);
      nothing_begins_before_the_replica_is_there(pair);
      the_next_operation_waits_until_the_replica_has_replayed(
          pair, "STOP REPLICA SQL_THREAD", "START REPLICA");
      run(replica, "SET GLOBAL read_only = 1");
      a_replica_is_no_master(pair, "it is read-only");
    }
  }

  private static void nothing_begins_before_the_replica_is_there(Pair pair) throws SQLException {
    assertThat(work(pair.primary(), List.of()).why()).isEqualTo(Why.DRAINED);
    add(pair.primary(), "CREATE TABLE made (n int)");
    String home = pair.primary().url();
    Target away =
        new Target(
            home.replaceFirst("127.0.0.1:[0-9]+", "127.0.0.1:1"),
            pair.primary().user(),
            Optional.empty());
    Rest rest = work(pair.primary(), List.of(away));
    assertThat(rest.why()).isEqualTo(Why.WAITING);
    assertThat(rest.reason()).contains("operation 1 has not begun: replica " + away.name());
    assertThat(all(pair.primary(), "SELECT status FROM belay_governor_queue"))
        .containsExactly("pending");
  }

  private static void the_next_operation_waits_until_the_replica_has_replayed(
      Pair pair, String lag, String catchUp) throws SQLException {
    Rest first = drained(pair);
    assertThat(first.why()).as(first.reason()).isEqualTo(Why.DRAINED);
    assertThat(all(pair.replica(), "SELECT COUNT(*) FROM made")).containsExactly("0");
    add(pair.primary(), "INSERT INTO made VALUES (1)");
    add(pair.primary(), "INSERT INTO made VALUES (2)");
    run(pair.replica(), lag);
    Rest waiting = work(pair.primary(), List.of(pair.replica()));
    assertThat(waiting.why()).isEqualTo(Why.WAITING);
    assertThat(waiting.reason())
        .contains("operation 2 is decided and waits for replica " + pair.replica().name())
        .contains("has not replayed");
    assertThat(all(pair.primary(), "SELECT status FROM belay_governor_queue ORDER BY id"))
        .containsExactly("done", "done", "pending");
    assertThat(all(pair.primary(), "SELECT id FROM belay_governor_queue WHERE NOT settled"))
        .containsExactly("2");
    assertThat(all(pair.replica(), "SELECT n FROM made")).isEmpty();
    run(pair.replica(), catchUp);
    Rest drained = drained(pair);
    assertThat(drained.why()).as(drained.reason()).isEqualTo(Why.DRAINED);
    assertThat(all(pair.replica(), "SELECT n FROM made ORDER BY n")).containsExactly("1", "2");
    assertThat(all(pair.primary(), "SELECT id FROM belay_governor_queue WHERE NOT settled"))
        .isEmpty();
  }

  private static void a_replica_is_no_master(Pair pair, String why) {
    assertThatThrownBy(() -> work(pair.replica(), List.of()))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("cannot be a master")
        .hasMessageContaining(why);
  }

  /** Once the session of the governor before has ended. */
  private static Rest work(Target home, List<Target> replicas) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (true) {
      try (Governor g = new Governor(List.of(home), replicas, options(), Watcher.NONE)) {
        Rest rest = g.work();
        if (!rest.reason().contains("another governor holds") || System.nanoTime() > end) {
          return rest;
        }
      }
    }
  }

  /** Once the replica has got there, however long a loaded machine takes for that. */
  private static Rest drained(Pair pair) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    Rest rest = work(pair.primary(), List.of(pair.replica()));
    while (rest.why() == Why.WAITING && System.nanoTime() < end) {
      rest = work(pair.primary(), List.of(pair.replica()));
    }
    return rest;
  }

  private static void add(Target home, String sql) throws SQLException {
    try (Desk desk = Desk.open(List.of(home), "eve")) {
      desk.add(wish(sql));
    }
  }

  private static void run(Target t, String... statements) throws SQLException {
    try (Connection c = DriverManager.getConnection(t.url(), t.user(), "")) {
      for (String sql : statements) {
        Sql.run(c, sql);
      }
    }
  }

  private static List<String> all(Target t, String sql) throws SQLException {
    try (Connection c = DriverManager.getConnection(t.url(), t.user(), "")) {
      return Sql.list(c, sql, r -> r.getString(1));
    }
  }
}
