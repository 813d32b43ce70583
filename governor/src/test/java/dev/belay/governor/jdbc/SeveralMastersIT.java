package dev.belay.governor.jdbc;

import static dev.belay.governor.jdbc.EveryDatabase.options;
import static dev.belay.governor.jdbc.EveryDatabase.wish;
import static dev.belay.governor.jdbc.EveryDatabase.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.governor.Refusal;
import dev.belay.governor.queue.Effect;
import dev.belay.governor.queue.Effect.Rest;
import dev.belay.governor.queue.Effect.Rest.Why;
import dev.belay.governor.queue.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Three PostgreSQL masters, one of them behind a wire that can be cut. */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Postgres.Release.class)
class SeveralMastersIT {

  @Parameter Postgres.Release release;

  private Target home;
  private Target east;
  private Target west;
  private Wire wire;

  @BeforeEach
  void three_masters() throws Exception {
    home = Postgres.shared(release).database();
    east = Postgres.shared(release).database();
    Target far = Postgres.shared(release).database();
    wire = Wire.to(Postgres.shared(release).port());
    west =
        new Target(
            far.url().replace(":" + Postgres.shared(release).port() + "/", ":" + wire.port() + "/"),
            "postgres",
            Optional.empty());
    Rest rest = work(home, east, west);
    assertThat(rest.why()).as(rest.reason()).isEqualTo(Why.DRAINED);
    for (Target t : List.of(home, east, west)) {
      run(t, "CREATE TABLE made (n int)");
    }
  }

  @Test
  void commits_on_all() throws SQLException {
    add("ALTER TABLE made ADD COLUMN m int");
    add("INSERT INTO made (n, m) VALUES (1, 2)");
    assertThat(work(home, east, west).why()).isEqualTo(Why.DRAINED);
    everywhere("SELECT m FROM made", "2");
    assertThat(
            one(
                home,
                "SELECT count(*) FROM belay_governor_queue WHERE settled AND status = 'done'"))
        .isEqualTo("2");
    nothingLeft();
  }

  @Test
  void an_error_on_one_master_aborts_on_all() throws SQLException {
    run(west, "ALTER TABLE made ADD COLUMN m int");
    add("ALTER TABLE made ADD COLUMN m int");
    Rest rest = work(home, east, west);
    assertThat(rest.why()).isEqualTo(Why.STOPPED);
    assertThat(rest.reason()).contains(west.name(), "already exists");
    assertThat(columns(home)).isEqualTo("1");
    assertThat(columns(east)).isEqualTo("1");
    nothingLeft();
    run(west, "ALTER TABLE made DROP COLUMN m");
    try (Desk desk = Desk.open(List.of(home, east, west), "eve")) {
      desk.retry(1, Optional.empty());
    }
    assertThat(work(home, east, west).why()).isEqualTo(Why.DRAINED);
    assertThat(columns(west)).isEqualTo("2");
    nothingLeft();
  }

  @Test
  void nothing_begins_while_a_master_is_away() throws SQLException {
    add("ALTER TABLE made ADD COLUMN m int");
    wire.cut();
    Rest rest = work(home, east, west);
    assertThat(rest.why()).isEqualTo(Why.WAITING);
    assertThat(rest.reason()).contains("has not begun", west.name());
    assertThat(columns(home)).isEqualTo("1");
    assertThat(one(home, "SELECT started_at IS NULL FROM belay_governor_queue")).isEqualTo("t");
    wire.mend();
    assertThat(work(home, east, west).why()).isEqualTo(Why.DRAINED);
    everywhereColumns("2");
  }

  @Test
  void a_master_that_goes_away_while_preparing_aborts_all_and_hears_of_it_later()
      throws SQLException {
    add("ALTER TABLE made ADD COLUMN m int");
    Rest rest =
        workWith(
            cutWhen(e -> e instanceof Effect.Prepare p && p.master().equals(west.name()), true));
    assertThat(rest.why()).isEqualTo(Why.WAITING);
    assertThat(one(home, "SELECT status FROM belay_governor_queue")).isEqualTo("failed");
    assertThat(columns(east)).isEqualTo("1");
    wire.mend();
    assertThat(work(home, east, west).why()).isEqualTo(Why.STOPPED);
    nothingLeft();
    everywhereColumns("1");
  }

  @Test
  void a_master_that_goes_away_after_the_decision_is_waited_for() throws SQLException {
    add("ALTER TABLE made ADD COLUMN m int");
    add("INSERT INTO made (n, m) VALUES (1, 2)");
    Rest rest = workWith(cutWhen(e -> e instanceof Effect.CommitAtHome, false));
    assertThat(rest.why()).isEqualTo(Why.WAITING);
    assertThat(rest.reason()).contains("operation 1 is decided and waits for " + west.name());
    assertThat(columns(home)).isEqualTo("2");
    assertThat(columns(east)).isEqualTo("2");
    assertThat(one(home, "SELECT status FROM belay_governor_queue WHERE id = 2"))
        .isEqualTo("pending");
    wire.mend();
    assertThat(columns(west)).isEqualTo("1");
    assertThat(work(home, east, west).why()).isEqualTo(Why.DRAINED);
    everywhere("SELECT m FROM made", "2");
    nothingLeft();
  }

  @Test
  void a_crash_at_any_point_ends_with_all_or_nothing() throws SQLException {
    int point = 0;
    for (boolean crashed = true; crashed; point++) {
      add(
          "ALTER TABLE made ADD COLUMN m"
              + point
              + " int;"
              + "INSERT INTO made (n, m"
              + point
              + ") VALUES ("
              + point
              + ", 2)");
      try (Governor g = new Governor(List.of(home, east, west), options(), new Crash(point))) {
        g.work();
        crashed = false;
      } catch (Crash.Now e) {
        crashed = true;
      }
      Rest rest = work(home, east, west);
      assertThat(rest.why()).as("point " + point + ": " + rest.reason()).isEqualTo(Why.DRAINED);
      everywhere("SELECT m" + point + " FROM made WHERE n = " + point, "2");
      nothingLeft();
    }
    assertThat(point).isGreaterThan(20);
  }

  @Test
  void the_wrong_masters_are_refused() throws SQLException {
    assertThatThrownBy(() -> work(home, east))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("has 2 other masters and 1 were given");
    add("SELECT 1");
    assertThat(work(home, east, west).why()).isEqualTo(Why.DRAINED);
    Target stranger = Postgres.shared(release).database();
    add("SELECT 1");
    assertThat(work(home, east, stranger).reason()).contains("has no governor's tables");
    assertThat(work(stranger).why()).isEqualTo(Why.DRAINED);
    assertThat(work(home, east, stranger).reason()).contains("belongs to cluster");
    Target again = new Target(east.url() + "?connectTimeout=4", "postgres", Optional.empty());
    assertThatThrownBy(() -> work(home, east, again)).hasMessageContaining("is given twice");
    Target sameByOtherName =
        new Target(east.url().replace("127.0.0.1", "localhost"), "postgres", Optional.empty());
    assertThat(work(home, east, sameByOtherName).reason()).contains("another given master");
  }

  @Test
  void a_server_without_prepared_transactions_is_refused_with_the_cure() throws SQLException {
    try (Postgres plain = Postgres.start(release)) {
      Target a = plain.database();
      Target b = plain.database();
      assertThat(work(a).why()).isEqualTo(Why.DRAINED);
      assertThatThrownBy(() -> work(plain.database(), b))
          .isInstanceOf(Refusal.class)
          .hasMessageContaining("max_prepared_transactions is 0");
    }
  }

  private Watcher cutWhen(Predicate<Effect> when, boolean before) {
    return new Watcher() {
      @Override
      public void before(Effect effect) {
        if (before && when.test(effect)) {
          wire.cut();
        }
      }

      @Override
      public void after(Effect effect, Event event) {
        if (!before && when.test(effect)) {
          wire.cut();
        }
      }
    };
  }

  private Rest workWith(Watcher w) {
    try (Governor g = new Governor(List.of(home, east, west), options(), w)) {
      return g.work();
    }
  }

  private void add(String sql) throws SQLException {
    try (Desk desk = Desk.open(List.of(home, east, west), "eve")) {
      desk.add(wish(sql));
    }
  }

  private static void run(Target t, String sql) throws SQLException {
    try (Connection c = Postgres.connect(t)) {
      Sql.run(c, sql);
    }
  }

  private static String one(Target t, String sql) throws SQLException {
    try (Connection c = Postgres.connect(t)) {
      return String.join(",", Sql.list(c, sql, r -> String.valueOf(r.getString(1))));
    }
  }

  private static String columns(Target t) throws SQLException {
    return one(t, "SELECT count(*) FROM information_schema.columns WHERE table_name = 'made'");
  }

  private void everywhere(String sql, String expected) throws SQLException {
    for (Target t : List.of(home, east, west)) {
      assertThat(one(t, sql)).as(t.name()).isEqualTo(expected);
    }
  }

  private void everywhereColumns(String expected) throws SQLException {
    for (Target t : List.of(home, east, west)) {
      assertThat(columns(t)).as(t.name()).isEqualTo(expected);
    }
  }

  private void nothingLeft() throws SQLException {
    everywhere("SELECT gid FROM pg_prepared_xacts WHERE database = current_database()", "");
  }
}
