package dev.belay.governor.jdbc;

import static dev.belay.governor.jdbc.EveryDatabase.options;
import static dev.belay.governor.jdbc.EveryDatabase.wish;
import static dev.belay.governor.jdbc.EveryDatabase.work;
import static dev.belay.governor.jdbc.SigkillIT.withVerify;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two MariaDB servers, one of which is killed in the middle of things. */
class SeveralMariaDbMastersIT {

  private static MariaDb far;

  private Target home;
  private Target other;

  @BeforeAll
  static void a_second_server() {
    far = MariaDb.start("--skip-log-bin");
  }

  @AfterAll
  static void end() {
    far.close();
  }

  @BeforeEach
  void two_masters() throws SQLException {
    home = MariaDb.shared().database();
    other = far.database();
    Rest rest = work(home, other);
    assertThat(rest.why()).as(rest.reason()).isEqualTo(Why.DRAINED);
    for (Target t : List.of(home, other)) {
      run(t, "CREATE TABLE made (n int)");
    }
  }

  @Test
  void is_done_when_every_master_has_acknowledged_every_statement() throws SQLException {
    add(withVerify(1));
    assertThat(work(home, other).why()).isEqualTo(Why.DRAINED);
    everywhere("SELECT n FROM made WHERE m1 IS NULL", "1");
    everywhere("SELECT COUNT(*) FROM belay_governor_step WHERE acknowledged", "2");
  }

  @Test
  void nothing_begins_while_a_master_is_down() throws Exception {
    add(withVerify(1));
    far.kill();
    try {
      Rest rest = work(home, other);
      assertThat(rest.why()).isEqualTo(Why.WAITING);
      assertThat(rest.reason()).contains("operation 1 has not begun", other.name());
      assertThat(columns(home)).isEqualTo("1");
      assertThat(one(home, "SELECT started_at IS NULL FROM belay_governor_queue")).isEqualTo("1");
    } finally {
      far.launch();
    }
    assertThat(work(home, other).why()).isEqualTo(Why.DRAINED);
    everywhere("SELECT n FROM made", "1");
  }

  /** Home has applied it and cannot take it back: the operation is open until the other is back. */
  @Test
  void a_master_that_dies_before_its_turn_is_waited_for_and_caught_up() throws Exception {
    diesAt(e -> e instanceof Effect.Intend i && i.master().equals(other.name()), true);
  }

  @Test
  void a_master_that_dies_between_intent_and_statement_is_asked_by_verify() throws Exception {
    diesAt(e -> e instanceof Effect.Apply a && a.master().equals(other.name()), true);
  }

  @Test
  void a_master_that_dies_after_its_statement_does_not_run_it_again() throws Exception {
    diesAt(e -> e instanceof Effect.Apply a && a.master().equals(other.name()), false);
  }

  private void diesAt(Predicate<Effect> when, boolean before) throws Exception {
    add(withVerify(1));
    add(withVerify(2));
    try {
      Rest rest = workWith(killWhen(when, before));
      assertThat(rest.why()).isEqualTo(Why.WAITING);
      assertThat(rest.reason()).contains("operation 1 cannot go on", other.name());
      assertThat(one(home, "SELECT n FROM made")).isEqualTo("1");
      assertThat(one(home, "SELECT status FROM belay_governor_queue ORDER BY id"))
          .as("the line waits, nothing is lost or skipped")
          .isEqualTo("pending,pending");
    } finally {
      far.launch();
    }
    Rest rest = work(home, other);
    assertThat(rest.why()).as(rest.reason()).isEqualTo(Why.DRAINED);
    everywhere("SELECT n FROM made ORDER BY n", "1,2");
    everywhere("SELECT COUNT(*) FROM belay_governor_step WHERE NOT acknowledged", "0");
  }

  @Test
  void a_master_that_dies_after_the_end_holds_up_only_the_next_operation() throws Exception {
    add(withVerify(1));
    add(withVerify(2));
    try {
      Rest rest = workWith(killWhen(e -> e instanceof Effect.RecordDone, false));
      assertThat(rest.reason()).contains("operation 2 has not begun", other.name());
      assertThat(one(home, "SELECT status FROM belay_governor_queue ORDER BY id"))
          .isEqualTo("done,pending");
    } finally {
      far.launch();
    }
    assertThat(work(home, other).why()).isEqualTo(Why.DRAINED);
    everywhere("SELECT n FROM made ORDER BY n", "1,2");
  }

  @Test
  void without_verify_doubt_on_one_master_waits_for_a_person() throws Exception {
    add("ALTER TABLE made ADD COLUMN m int");
    try {
      workWith(killWhen(e -> e instanceof Effect.Apply a && a.master().equals(other.name()), true));
    } finally {
      far.launch();
    }
    Rest rest = work(home, other);
    assertThat(rest.why()).isEqualTo(Why.STOPPED);
    assertThat(rest.reason()).contains("in doubt", other.name(), "resolve --not-applied");
    try (Desk desk = Desk.open(List.of(home, other), "eve")) {
      assertThatThrownBy(() -> desk.skip(1, "no")).hasMessageContaining("in doubt on " + other);
      desk.resolve(1, false);
    }
    assertThat(work(home, other).why()).isEqualTo(Why.DRAINED);
    assertThat(columns(home)).isEqualTo("2");
    assertThat(columns(other)).isEqualTo("2");
  }

  @Test
  void what_verify_finds_applied_is_not_run_again() throws Exception {
    add(withVerify(1));
    try {
      workWith(killWhen(e -> e instanceof Effect.Apply a && a.master().equals(other.name()), true));
    } finally {
      far.launch();
    }
    run(other, "ALTER TABLE made ADD COLUMN m1 int");
    Rest rest = work(home, other);
    assertThat(rest.why()).as(rest.reason()).isEqualTo(Why.DRAINED);
    everywhere("SELECT n FROM made", "1");
  }

  @Test
  void an_error_on_one_master_names_it_and_retry_goes_on_there() throws SQLException {
    run(other, "DROP TABLE made");
    add(withVerify(1));
    Rest rest = work(home, other);
    assertThat(rest.why()).isEqualTo(Why.STOPPED);
    assertThat(rest.reason()).contains("statement 1 of 2 on " + other, "doesn't exist");
    run(other, "CREATE TABLE made (n int)");
    try (Desk desk = Desk.open(List.of(home, other), "eve")) {
      desk.retry(1, Optional.empty());
    }
    assertThat(work(home, other).why()).isEqualTo(Why.DRAINED);
    everywhere("SELECT n FROM made", "1");
  }

  @Test
  void a_stranger_a_copy_and_a_missing_master_are_refused() throws SQLException {
    add("DO 1");
    assertThat(work(home, other).why()).isEqualTo(Why.DRAINED);
    assertThatThrownBy(() -> work(home))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("has 1 other masters and 0 were given");
    add("DO 1");
    assertThat(work(home, far.database()).reason()).contains("has no governor's tables");
    Target copy = far.database();
    run(
        copy,
        "CREATE TABLE belay_governor_lease (id int, layout int, cluster_id text, member text,"
            + " place text, epoch bigint, owner text)");
    run(
        copy,
        "INSERT INTO belay_governor_lease VALUES (1, 1, '%s', '%s', '', 0, '')"
            .formatted(
                one(home, "SELECT cluster_id FROM belay_governor_lease"),
                one(home, "SELECT member FROM belay_governor_lease")));
    assertThat(work(home, copy).reason()).contains("the home database itself, or a copy of it");
  }

  private Watcher killWhen(Predicate<Effect> when, boolean before) {
    return new Watcher() {
      private boolean dead;

      @Override
      public void before(Effect effect) {
        point(effect, before);
      }

      @Override
      public void after(Effect effect, Event event) {
        point(effect, !before);
      }

      private void point(Effect effect, boolean here) {
        if (here && !dead && when.test(effect)) {
          dead = true;
          far.kill();
        }
      }
    };
  }

  private Rest workWith(Watcher w) {
    try (Governor g = new Governor(List.of(home, other), options(), w)) {
      return g.work();
    }
  }

  private void add(String sql) throws SQLException {
    try (Desk desk = Desk.open(List.of(home), "eve")) {
      desk.add(wish(sql));
    }
  }

  private static void run(Target t, String sql) throws SQLException {
    try (Connection c = MariaDb.connect(t)) {
      Sql.run(c, sql);
    }
  }

  private static String one(Target t, String sql) throws SQLException {
    try (Connection c = MariaDb.connect(t)) {
      return String.join(",", Sql.list(c, sql, r -> String.valueOf(r.getString(1))));
    }
  }

  private static String columns(Target t) throws SQLException {
    return one(
        t,
        "SELECT COUNT(*) FROM information_schema.columns"
            + " WHERE table_schema = DATABASE() AND table_name = 'made'");
  }

  private void everywhere(String sql, String expected) throws SQLException {
    for (Target t : List.of(home, other)) {
      assertThat(one(t, sql)).as(t.name()).isEqualTo(expected);
    }
  }
}
