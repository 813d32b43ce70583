package dev.belay.governor.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.governor.Refusal;
import dev.belay.governor.jdbc.Desk.Wish;
import dev.belay.governor.queue.Effect;
import dev.belay.governor.queue.Effect.Rest;
import dev.belay.governor.queue.Effect.Rest.Why;
import dev.belay.governor.queue.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What holds on every database; each IT says which one. */
interface EveryDatabase {

  Target fresh() throws SQLException;

  Connection connect(Target t) throws SQLException;

  /** Whether a failing script leaves nothing behind. */
  boolean scriptsAreAtomic();

  static Options options() {
    Options o = Options.defaults("test");
    return new Options(
        o.owner(),
        o.cluster(),
        Duration.ofSeconds(1),
        2,
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        o.phases(),
        true);
  }

  static Rest workNow(Target... targets) {
    try (Governor g = new Governor(List.of(targets), options(), Watcher.NONE)) {
      return g.work();
    }
  }

  /** Works as soon as the server has noticed that the governor before has closed its session. */
  static Rest work(Target... targets) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    Rest rest = workNow(targets);
    while (rest.reason().contains("another governor holds the lock") && System.nanoTime() < end) {
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      rest = workNow(targets);
    }
    return rest;
  }

  static Wish wish(String sql) {
    return new Wish(
        sql, Optional.empty(), Optional.empty(), Optional.empty(), false, true, Optional.empty());
  }

  default List<String> strings(Target t, String sql) throws SQLException {
    try (Connection c = connect(t)) {
      return Sql.list(c, sql, r -> String.valueOf(r.getString(1)));
    }
  }

  default void run(Target t, String... statements) throws SQLException {
    try (Connection c = connect(t)) {
      for (String s : statements) {
        Sql.run(c, s);
      }
    }
  }

  default List<String> statuses(Target t) throws SQLException {
    return strings(t, "SELECT status FROM belay_governor_queue ORDER BY id");
  }

  default Target withTable() throws SQLException {
    Target t = fresh();
    Rest rest = work(t);
    assertThat(rest.why()).as(rest.reason()).isEqualTo(Why.DRAINED);
    run(t, "CREATE TABLE done_by_op (n int)");
    return t;
  }

  @Test
  default void a_row_inserted_by_any_client_is_carried_out() throws SQLException {
    Target t = withTable();
    run(t, "INSERT INTO belay_governor_queue (op) VALUES ('INSERT INTO done_by_op VALUES (1)')");
    assertThat(work(t).why()).isEqualTo(Why.DRAINED);
    assertThat(statuses(t)).containsExactly("done");
    assertThat(strings(t, "SELECT n FROM done_by_op")).containsExactly("1");
    assertThat(strings(t, "SELECT kind FROM belay_governor_queue")).containsExactly("custom");
    assertThat(strings(t, "SELECT checksum FROM belay_governor_queue").getFirst())
        .startsWith("sha256:");
    assertThat(strings(t, "SELECT finished_at FROM belay_governor_queue").getFirst())
        .isNotEqualTo("null");
  }

  @Test
  default void two_governors_that_start_together_create_the_table_once() throws Exception {
    Target t = fresh();
    CountDownLatch go = new CountDownLatch(1);
    try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
      List<Future<Rest>> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        all.add(
            pool.submit(() -> {
              go.await();
              return work(t);
            }));
      }
      go.countDown();
      for (Future<Rest> f : all) {
        assertThat(f.get().why()).isEqualTo(Why.DRAINED);
      }
    }
    assertThat(strings(t, "SELECT epoch FROM belay_governor_lease")).containsExactly("4");
  }

  /** A server sees a moment late that a session was closed: nobody is to be told of a rival. */
  @Test
  default void a_lock_that_is_free_a_moment_later_is_taken() throws Exception {
    Target t = fresh();
    try (Session second = Session.open(t, "second");
        Session first = Session.open(t, "first")) {
      assertThat(first.lock(Duration.ofHours(1))).isEmpty();
      Thread closing =
          Thread.startVirtualThread(() -> {
            LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
            first.close();
          });
      assertThat(second.lock(Duration.ofHours(1))).isEmpty();
      closing.join();
    }
  }

  @Test
  default void upgrades_go_before_custom_operations_and_both_in_order() throws SQLException {
    Target t = withTable();
    for (int i = 1; i <= 4; i++) {
      run(
          t,
          "INSERT INTO belay_governor_queue (op, kind) VALUES ('INSERT INTO done_by_op VALUES ("
              + i
              + ")', '"
              + (i % 2 == 0 ? "upgrade" : "custom")
              + "')");
    }
    List<Long> order = new ArrayList<>();
    Watcher watcher = new Order(order);
    try (Governor g = new Governor(List.of(t), options(), watcher)) {
      assertThat(g.work().why()).isEqualTo(Why.DRAINED);
    }
    assertThat(order).containsExactly(2L, 4L, 1L, 3L);
  }

  @Test
  default void a_failed_operation_stops_the_line_until_retry() throws SQLException {
    Target t = withTable();
    try (Desk desk = Desk.open(List.of(t), "eve")) {
      desk.add(wish("INSERT INTO not_there VALUES (1)"));
      desk.add(wish("INSERT INTO done_by_op VALUES (2)"));
      Rest rest = work(t);
      assertThat(rest.why()).isEqualTo(Why.STOPPED);
      assertThat(rest.reason()).containsIgnoringCase("not_there");
      assertThat(work(t).why()).as("nothing retries by itself").isEqualTo(Why.STOPPED);
      assertThat(statuses(t)).containsExactly("failed", "pending");
      assertThat(strings(t, "SELECT attempt FROM belay_governor_queue")).containsExactly("1", "1");

      run(t, "CREATE TABLE not_there (n int)");
      desk.retry(1, Optional.empty());
      assertThat(work(t).why()).isEqualTo(Why.DRAINED);
    }
    assertThat(statuses(t)).containsExactly("done", "done");
    assertThat(strings(t, "SELECT n FROM not_there")).containsExactly("1");
  }

  @Test
  default void skip_and_resolve_say_who_and_why() throws SQLException {
    Target t = withTable();
    try (Desk desk = Desk.open(List.of(t), "eve")) {
      desk.add(wish("INSERT INTO gone VALUES (1)"));
      desk.add(wish("INSERT INTO gone VALUES (2)"));
      assertThatThrownBy(() -> desk.skip(1, "early"))
          .isInstanceOf(Refusal.class)
          .hasMessageContaining("is pending");
      assertThat(work(t).why()).isEqualTo(Why.STOPPED);
      desk.skip(1, "table is gone");
      assertThat(work(t).why()).isEqualTo(Why.STOPPED);
      assertThatThrownBy(() -> desk.resolve(2, false)).hasMessageContaining("use retry");
      desk.resolve(2, true);
      assertThat(work(t).why()).isEqualTo(Why.DRAINED);
      assertThatThrownBy(() -> desk.retry(99, Optional.empty()))
          .hasMessageContaining("operation 99 is not in the queue");
    }
    List<String> said =
        strings(t, "SELECT status_description FROM belay_governor_queue ORDER BY id");
    assertThat(said.get(0)).startsWith("skipped by eve: table is gone; before: ");
    assertThat(said.get(1)).startsWith("resolved by eve as applied");
  }

  @Test
  default void every_statement_of_a_script_is_accounted_for() throws SQLException {
    Target t = withTable();
    try (Desk desk = Desk.open(List.of(t), "eve")) {
      String head = "INSERT INTO done_by_op VALUES (1);\nINSERT INTO done_by_op VALUES (2);\n";
      desk.add(wish(head + "INSERT INTO oops VALUES (3)"));
      Rest rest = work(t);
      assertThat(rest.reason()).contains("statement 3 of 3");
      assertThat(strings(t, "SELECT n FROM done_by_op")).hasSize(scriptsAreAtomic() ? 0 : 2);
      desk.retry(1, Optional.of(head + "INSERT INTO done_by_op VALUES (3)"));
      assertThat(work(t).why()).isEqualTo(Why.DRAINED);
    }
    assertThat(strings(t, "SELECT n FROM done_by_op ORDER BY n")).containsExactly("1", "2", "3");
  }

  @Test
  default void what_can_never_run_fails_with_the_cure() throws SQLException {
    Target t = withTable();
    run(
        t,
        "INSERT INTO belay_governor_queue (op, op_format) VALUES ('return 1', 'lua')",
        "INSERT INTO belay_governor_queue (op) VALUES ('SELECT 1; SELECT 2')",
        "INSERT INTO belay_governor_queue (op) VALUES ('COMMIT')",
        "INSERT INTO belay_governor_queue (op) VALUES ('-- nothing')",
        "INSERT INTO belay_governor_queue (op, checksum) VALUES ('SELECT 1', 'sha256:00')");
    List<String> cures =
        List.of(
            "op_format \"lua\"",
            "use sql_script",
            "line 1: COMMIT would end",
            "no statement",
            "does not match checksum");
    try (Desk desk = Desk.open(List.of(t), "eve")) {
      for (int i = 0; i < cures.size(); i++) {
        assertThat(work(t).reason()).contains("operation " + (i + 1) + " failed", cures.get(i));
        desk.skip(i + 1, "bad");
      }
    }
  }

  @Test
  default void a_second_governor_is_kept_out() throws SQLException {
    Target t = withTable();
    try (Governor first = new Governor(List.of(t), options(), Watcher.NONE)) {
      assertThat(first.work().why()).isEqualTo(Why.DRAINED);
      Rest second = workNow(t);
      assertThat(second.why()).isEqualTo(Why.WAITING);
      assertThat(second.reason()).contains("another governor holds the lock");
      run(t, "INSERT INTO belay_governor_queue (op) VALUES ('INSERT INTO done_by_op VALUES (1)')");
      assertThat(first.work().why()).isEqualTo(Why.DRAINED);
    }
    assertThat(work(t).why()).isEqualTo(Why.DRAINED);
    assertThat(strings(t, "SELECT n FROM done_by_op")).hasSize(1);
  }

  @Test
  default void a_governor_of_an_older_epoch_writes_nothing() throws SQLException {
    Target t = withTable();
    run(t, "INSERT INTO belay_governor_queue (op) VALUES ('INSERT INTO done_by_op VALUES (1)')");
    try (Governor old =
        new Governor(
            List.of(t),
            options(),
            new Watcher() {
              @Override
              public void after(Effect effect, Event event) {
                if (effect instanceof Effect.Look) {
                  try {
                    run(t, "UPDATE belay_governor_lease SET epoch = epoch + 1");
                  } catch (SQLException e) {
                    throw new IllegalStateException(e);
                  }
                }
              }
            })) {
      assertThat(old.work().why()).isEqualTo(Why.OUTRANKED);
      assertThat(old.work().why()).isEqualTo(Why.OUTRANKED);
    }
    assertThat(statuses(t)).containsExactly("pending");
    assertThat(strings(t, "SELECT n FROM done_by_op")).isEmpty();
  }

  @Test
  default void a_busy_lock_is_tried_again_visibly_and_not_for_ever() throws SQLException {
    Target t = withTable();
    run(t, "INSERT INTO done_by_op VALUES (0)");
    try (Desk desk = Desk.open(List.of(t), "eve");
        Connection busy = connect(t)) {
      desk.add(wish("ALTER TABLE done_by_op ADD COLUMN m int"));
      busy.setAutoCommit(false);
      Sql.run(busy, "UPDATE done_by_op SET n = 5");
      Rest first = work(t);
      assertThat(first.why()).isEqualTo(Why.WAITING);
      assertThat(first.reason()).contains("met a busy lock");
      assertThat(desk.rows(10).getFirst().tries()).isEqualTo(1);
      assertThat(desk.rows(10).getFirst().status()).isEqualTo("pending");
      assertThat(desk.rows(10).getFirst().statusDescription()).isPresent();
      assertThat(work(t).why()).isEqualTo(Why.STOPPED);
      busy.rollback();
      desk.retry(1, Optional.empty());
      assertThat(work(t).why()).isEqualTo(Why.DRAINED);
    }
    assertThat(strings(t, "SELECT m FROM done_by_op")).hasSize(1);
  }

  @Test
  default void the_wrong_database_is_refused() throws SQLException {
    Target t = withTable();
    Options o = options();
    Options other =
        new Options(
            o.owner(),
            Optional.of("some-other-cluster"),
            o.lockTimeout(),
            o.lockTries(),
            o.prepareTimeout(),
            o.lease(),
            o.phases(),
            true);
    try (Governor g = new Governor(List.of(t), other, Watcher.NONE)) {
      assertThatThrownBy(g::work)
          .isInstanceOf(Refusal.class)
          .hasMessageContaining("belongs to cluster");
    }
    try (Governor g = new Governor(List.of(fresh()), other, Watcher.NONE)) {
      assertThatThrownBy(g::work).isInstanceOf(Refusal.class).hasMessageContaining("has no queue");
    }
    run(t, "UPDATE belay_governor_lease SET place = 'elsewhere/x.'");
    assertThatThrownBy(() -> work(t))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("was set up as elsewhere/x.");
  }

  @Test
  default void a_crash_before_or_after_any_effect_runs_nothing_twice_and_skips_nothing()
      throws SQLException {
    Target t = withTable();
    int point = 0;
    for (boolean crashed = true; crashed; point++) {
      queueThreeOperations(t, point);
      crashed = workUntilCrash(point, t);
      Rest rest = work(t);
      assertThat(rest.why()).as("point " + point + ": " + rest.reason()).isEqualTo(Why.DRAINED);
      assertThat(strings(t, "SELECT n FROM done_by_op WHERE n >= " + point * 10 + " ORDER BY n"))
          .containsExactly("" + (point * 10 + 1), "" + (point * 10 + 2), "" + (point * 10 + 4));
      assertThat(strings(t, "SELECT n FROM made_by_op" + point)).isEmpty();
    }
    assertThat(statuses(t)).hasSize(3 * point).containsOnly("done");
    assertThat(point).isGreaterThan(12);
  }

  /** DML, DDL with a query for doubt, and a script. */
  private void queueThreeOperations(Target t, int point) throws SQLException {
    try (Desk desk = Desk.open(List.of(t), "eve")) {
      desk.add(wish(insert(point * 10 + 1)));
      desk.add(
          wish(
              "-- belay:verify SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = "
                  + currentSchema()
                  + " AND LOWER(table_name) = 'made_by_op"
                  + point
                  + "'\n"
                  + "CREATE TABLE made_by_op"
                  + point
                  + " (n int)"));
      desk.add(wish(insert(point * 10 + 2) + insert(point * 10 + 4)));
    }
  }

  private String insert(int n) {
    return whenDmlIsInDoubt(n) + "INSERT INTO done_by_op VALUES (" + n + ");\n";
  }

  private static boolean workUntilCrash(int point, Target... targets) {
    // One that has to wait, because the session before it is not quite gone, tries again.
    for (int tries = 0; tries < 100; tries++) {
      try (Governor g = new Governor(List.of(targets), options(), new Crash(point))) {
        if (g.work().why() == Why.DRAINED) {
          return false;
        }
      } catch (Crash.Now e) {
        return true;
      }
    }
    throw new IllegalStateException("the queue is not drained at point " + point);
  }

  default String currentSchema() {
    return "CURRENT_SCHEMA";
  }

  /** A verify comment, where the database cannot tell by itself. */
  default String whenDmlIsInDoubt(int n) {
    return "";
  }

  /** Writes down which operation finished when. */
  record Order(List<Long> ids) implements Watcher {
    @Override
    public void after(Effect effect, Event event) {
      switch (effect) {
        case Effect.CommitAtHome e -> ids.add(e.op().id());
        case Effect.RecordDone e -> ids.add(e.op().id());
        default -> {}
      }
    }
  }
}
