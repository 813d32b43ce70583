package dev.belay.governor.jdbc;

import static dev.belay.governor.jdbc.EveryDatabase.options;
import static dev.belay.governor.jdbc.EveryDatabase.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.governor.jdbc.Desk.Wish;
import dev.belay.governor.queue.Effect;
import dev.belay.governor.queue.Effect.Rest;
import dev.belay.governor.queue.Effect.Rest.Why;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Postgres.Release.class)
class PostgresIT implements FileAccess {

  private static final AtomicInteger INSERTERS = new AtomicInteger();

  @Parameter Postgres.Release release;

  @Override
  public Target fresh() throws SQLException {
    return Postgres.shared(release).database();
  }

  @Override
  public Connection connect(Target t) throws SQLException {
    return Postgres.connect(t);
  }

  @Override
  public Target clerk(Target t) throws SQLException {
    String name = "inserter" + INSERTERS.incrementAndGet();
    run(t, "CREATE ROLE " + name + " LOGIN", "GRANT INSERT ON belay_governor_queue TO " + name);
    return new Target(t.url(), name, Optional.empty());
  }

  /** A file of the client is read by psql, or by a program that sends it; pgjdbc sends none. */
  @Override
  public List<String> thefts(Path file) {
    return List.of(
        "\\copy loot FROM '" + file + "'", "COPY loot FROM STDIN", "COPY (SELECT 1) TO STDOUT");
  }

  @Override
  public boolean scriptsAreAtomic() {
    return true;
  }

  @Test
  void public_has_no_rights_on_the_queue_whatever_the_default_privileges_say() throws SQLException {
    Target t = fresh();
    run(t, "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC");
    assertThat(work(t).why()).isEqualTo(Why.DRAINED);
    run(t, "CREATE TABLE control (n int)");
    String may = "SELECT has_table_privilege('pg_monitor', '%s', 'INSERT')";
    assertThat(strings(t, may.formatted("control"))).containsExactly("t");
    assertThat(strings(t, may.formatted("belay_governor_queue"))).containsExactly("f");
    assertThat(strings(t, may.formatted("belay_governor_lease"))).containsExactly("f");
  }

  @Test
  void a_concurrent_index_in_doubt_waits_for_a_person() throws SQLException {
    Target t = withTable();
    try (Desk desk = Desk.open(List.of(t), "eve")) {
      desk.add(concurrentIndex(Optional.empty()));
      stopBefore(Effect.Apply.class, t);
      Rest rest = work(t);
      assertThat(rest.why()).isEqualTo(Why.STOPPED);
      assertThat(rest.reason()).contains("in doubt", "resolve --applied");
      assertThatThrownBy(() -> desk.retry(1, Optional.empty())).hasMessageContaining("is in doubt");
      assertThatThrownBy(() -> desk.skip(1, "x")).hasMessageContaining("is in doubt");
      desk.resolve(1, false);
      assertThat(work(t).why()).isEqualTo(Why.DRAINED);
    }
    assertThat(indexes(t)).containsExactly("by_n");
  }

  @Test
  void a_verify_query_settles_doubt_without_a_person() throws SQLException {
    Target t = withTable();
    try (Desk desk = Desk.open(List.of(t), "eve")) {
      desk.add(concurrentIndex(Optional.of("SELECT to_regclass('by_n') IS NOT NULL")));
    }
    stopBefore(Effect.Apply.class, t);
    run(t, "CREATE INDEX by_n ON done_by_op (n)");
    assertThat(work(t).why()).isEqualTo(Why.DRAINED);
    assertThat(indexes(t)).containsExactly("by_n");
  }

  @Test
  void settings_of_one_operation_do_not_reach_the_next() throws SQLException {
    Target t = withTable();
    run(
        t,
        "CREATE SCHEMA aside",
        "INSERT INTO belay_governor_queue (op) VALUES ('SET search_path = aside')",
        "INSERT INTO belay_governor_queue (op) VALUES ('INSERT INTO done_by_op VALUES (1)')",
        "INSERT INTO belay_governor_queue (op) VALUES ('SET ROLE pg_monitor')");
    Rest rest = work(t);
    assertThat(rest.reason()).contains("operation 3 failed", "permission denied");
    assertThat(strings(t, "SELECT n FROM done_by_op")).containsExactly("1");
  }

  @Test
  void goes_on_after_a_restart_of_the_database() throws Exception {
    try (Postgres server = Postgres.start(release)) {
      Target t = server.database();
      try (Governor g = new Governor(List.of(t), options(), Watcher.NONE)) {
        assertThat(g.work().why()).isEqualTo(Why.DRAINED);
        run(
            t,
            "INSERT INTO belay_governor_queue (op) VALUES ('CREATE TABLE after_restart (n int)')");
        server.restart();
        Rest first = g.work();
        assertThat(first.why()).isIn(Why.WAITING, Why.DRAINED);
        assertThat(g.work().why()).isEqualTo(Why.DRAINED);
      }
      assertThat(strings(t, "SELECT count(*) FROM after_restart")).containsExactly("0");
    }
  }

  private static Wish concurrentIndex(Optional<String> verify) {
    return new Wish(
        "CREATE INDEX CONCURRENTLY by_n ON done_by_op (n)",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false,
        false,
        verify);
  }

  private List<String> indexes(Target t) throws SQLException {
    return strings(t, "SELECT indexname FROM pg_indexes WHERE tablename = 'done_by_op'");
  }

  private static void stopBefore(Class<? extends Effect> effect, Target t) {
    Watcher w =
        new Watcher() {
          @Override
          public void before(Effect e) {
            if (effect.isInstance(e)) {
              throw new Crash.Now();
            }
          }
        };
    // The session of a governor that was closed a moment ago may still hold the lock.
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    try (Governor g = new Governor(List.of(t), options(), w)) {
      assertThatThrownBy(
              () -> {
                while (System.nanoTime() < end) {
                  g.work();
                }
              })
          .isInstanceOf(Crash.Now.class);
    }
  }
}
