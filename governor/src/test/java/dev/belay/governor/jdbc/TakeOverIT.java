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
    the_silent_one_is_replaced_and_writes_nothing_when_it_wakes(Postgres.shared().database());
  }

  @Test
  void mariadb() throws SQLException {
    the_silent_one_is_replaced_and_writes_nothing_when_it_wakes(MariaDb.shared().database());
  }

  private static void the_silent_one_is_replaced_and_writes_nothing_when_it_wakes(Target t)
      throws SQLException {
    EveryDatabase.work(t);
    try (Connection c = DriverManager.getConnection(t.url(), t.user(), "")) {
      Sql.run(c, "CREATE TABLE made (n int)");
      Sql.run(
          c,
          "INSERT INTO belay_governor_queue (op, verify) VALUES ('INSERT INTO made VALUES (1)',"
              + " 'SELECT COUNT(*) FROM made')");
    }
    AtomicReference<Rest> second = new AtomicReference<>();
    Watcher silence =
        new Watcher() {
          private boolean slept;

          @Override
          public void before(Effect effect) {
            boolean inTheMiddle =
                effect instanceof Effect.CommitAtHome || effect instanceof Effect.Apply;
            if (inTheMiddle && !slept) {
              slept = true;
              second.set(otherGovernorsWork(t));
            }
          }
        };
    try (Governor first = new Governor(List.of(t), options("first"), silence)) {
      Rest rest = first.work();
      assertThat(second.get().why()).as(second.get().reason()).isEqualTo(Why.DRAINED);
      assertThat(rest.why()).as(rest.reason()).isIn(Why.WAITING, Why.DRAINED);
    }
    try (Connection c = DriverManager.getConnection(t.url(), t.user(), "")) {
      assertThat(Sql.list(c, "SELECT n FROM made", r -> r.getInt(1))).containsExactly(1);
      assertThat(Sql.list(c, "SELECT status FROM belay_governor_queue", r -> r.getString(1)))
          .containsExactly("done");
    }
  }

  /** Works as soon as the first has been silent for longer than the lease. */
  private static Rest otherGovernorsWork(Target t) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      try (Governor other = new Governor(List.of(t), options("second"), Watcher.NONE)) {
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
