package dev.belay.governor.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.governor.queue.Effect;
import dev.belay.governor.queue.Effect.Rest;
import dev.belay.governor.queue.Effect.Rest.Why;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A governor that falls silent in the middle of an operation, and wakes up too late. */
class TakeOverIT {

  @Test
  void postgres() throws SQLException {
    the_silent_one_is_replaced_and_writes_nothing_when_it_wakes(
        List.of(Postgres.shared().database()));
  }

  @Test
  void mariadb() throws SQLException {
    the_silent_one_is_replaced_and_writes_nothing_when_it_wakes(
        List.of(MariaDb.shared().database()));
  }

  /** The old session on the other server is ended, too, before anything is done there again. */
  @Test
  void several_mariadb_masters() throws SQLException {
    try (MariaDb other = MariaDb.start("--skip-log-bin")) {
      the_silent_one_is_replaced_and_writes_nothing_when_it_wakes(
          List.of(MariaDb.shared().database(), other.database()));
    }
  }

  private static void the_silent_one_is_replaced_and_writes_nothing_when_it_wakes(
      List<Target> masters) throws SQLException {
    Rest fresh = EveryDatabase.work(masters.toArray(Target[]::new));
    assertThat(fresh.why()).as(fresh.reason()).isEqualTo(Why.DRAINED);
    for (Target t : masters) {
      run(t, "CREATE TABLE made (n int)");
    }
    run(
        masters.getFirst(),
        "INSERT INTO belay_governor_queue (op, verify) VALUES ('INSERT INTO made VALUES (1)',"
            + " 'SELECT COUNT(*) FROM made')");
    AtomicReference<Rest> second = new AtomicReference<>();
    String last = masters.getLast().name();
    Watcher silence =
        new Watcher() {
          @Override
          public void before(Effect effect) {
            boolean inTheMiddle =
                effect instanceof Effect.CommitAtHome
                    || (effect instanceof Effect.Apply a && a.master().equals(last));
            if (inTheMiddle && second.get() == null) {
              second.set(otherGovernorsWork(masters));
            }
          }
        };
    try (Governor first = new Governor(masters, options("first"), silence)) {
      Rest rest = first.work();
      assertThat(second.get().why()).as(second.get().reason()).isEqualTo(Why.DRAINED);
      assertThat(rest.why()).as(rest.reason()).isIn(Why.WAITING, Why.DRAINED);
    }
    for (Target t : masters) {
      assertThat(all(t, "SELECT n FROM made")).as(t.name()).containsExactly("1");
    }
    assertThat(all(masters.getFirst(), "SELECT status FROM belay_governor_queue"))
        .containsExactly("done");
  }

  private static void run(Target t, String sql) throws SQLException {
    try (Connection c = DriverManager.getConnection(t.url(), t.user(), "")) {
      Sql.run(c, sql);
    }
  }

  private static List<String> all(Target t, String sql) throws SQLException {
    try (Connection c = DriverManager.getConnection(t.url(), t.user(), "")) {
      return Sql.list(c, sql, r -> r.getString(1));
    }
  }

  /** Works as soon as the first has been silent for longer than the lease. */
  private static Rest otherGovernorsWork(List<Target> masters) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      try (Governor other = new Governor(masters, options("second"), Watcher.NONE)) {
        Rest rest = other.work();
        if (rest.why() != Why.WAITING || System.nanoTime() > end) {
          return rest;
        }
      }
    }
  }

  private static Options options(String owner) {
    Options o = Options.defaults(owner);
    return new Options(
        owner,
        o.cluster(),
        Duration.ofSeconds(1),
        2,
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        o.phases(),
        true);
  }
}
