package dev.belay.governor.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.governor.Refusal;
import dev.belay.governor.queue.Effect.Rest.Why;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class H2IT implements FileAccess {

  private static final AtomicInteger NAMES = new AtomicInteger();

  @Override
  public Target fresh() {
    return new Target(
        "jdbc:h2:mem:h2it" + NAMES.incrementAndGet() + ";DB_CLOSE_DELAY=-1", "", Optional.empty());
  }

  @Override
  public Connection connect(Target t) throws SQLException {
    return DriverManager.getConnection(t.url(), t.user(), "");
  }

  @Override
  public boolean scriptsAreAtomic() {
    return false;
  }

  @Override
  public Target clerk(Target t) throws SQLException {
    run(
        t,
        "CREATE USER clerk PASSWORD ''",
        "GRANT SELECT, INSERT ON belay_governor_queue TO clerk");
    // Only an administrator may set DB_CLOSE_DELAY.
    return new Target(t.url().replace(";DB_CLOSE_DELAY=-1", ""), "clerk", Optional.empty());
  }

  /** H2 runs in the governor's own process: its functions read this machine's files. */
  @Override
  public List<String> thefts(Path file) {
    String other = "'" + file.resolveSibling("other") + "'";
    return List.of(
        "INSERT INTO loot SELECT FILE_READ('" + file + "', NULL)",
        "INSERT INTO loot SELECT * FROM CSVREAD('" + file + "', 'LINE')",
        "CREATE TABLE more_loot AS SELECT * FROM CSVREAD('" + file + "')",
        "ALTER TABLE belay_governor_lease ADD COLUMN taken varchar DEFAULT FILE_READ('"
            + file
            + "', NULL)",
        "CALL FILE_WRITE('x', " + other + ")",
        "CALL CSVWRITE(" + other + ", 'SELECT 1')",
        "SCRIPT TO " + other,
        "BACKUP TO " + other,
        "RUNSCRIPT FROM '" + file + "'",
        "CREATE ALIAS code FOR 'java.lang.System.getProperty'",
        "CREATE ALIAS code AS 'String code() { return System.getProperty(\"user.home\"); }'",
        "CREATE TRIGGER code BEFORE INSERT ON loot CALL 'org.h2.tools.TriggerAdapter'",
        "CREATE TRIGGER code BEFORE INSERT ON loot AS 'org.h2.api.Trigger code() { return null; }'",
        "CREATE AGGREGATE code FOR 'java.lang.String'",
        "CREATE LINKED TABLE far ('', 'jdbc:h2:mem:far', '', '', 'T')",
        "CALL LINK_SCHEMA('FAR', '', 'jdbc:h2:mem:far', '', '', 'PUBLIC')",
        "SET TRACE_LEVEL_FILE 3",
        "SET DATABASE_EVENT_LISTENER 'org.h2.tools.TriggerAdapter'",
        "CREATE TABLE code (n int) ENGINE \"org.h2.api.TableEngine\"",
        "ALTER USER BELAY_GOVERNOR ADMIN TRUE",
        "CREATE USER root PASSWORD '' ADMIN");
  }

  /** H2 itself would compile the view as an administrator when the file is opened again. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE FORCE VIEW taken AS SELECT * FROM CSVREAD('%s')",
        "CREATE OR REPLACE /* */ force view taken AS SELECT * FROM CSVREAD('%s')",
        "EXECUTE IMMEDIATE 'CREATE FORCE VIEW taken AS SELECT * FROM CSVREAD(''%s'')'"
      })
  void a_view_reads_no_file_when_the_database_is_opened_again(String sql, @TempDir Path dir)
      throws Exception {
    Path file = Files.writeString(dir.resolve("file"), CANARY + "\n");
    Target t = new Target("jdbc:h2:file:" + dir.resolve("db"), "", Optional.empty());
    EveryDatabase.work(t);
    run(
        t,
        "INSERT INTO belay_governor_queue (op) VALUES ('"
            + sql.formatted(file).replace("'", "''")
            + "')");
    assertThat(EveryDatabase.work(t).why()).isEqualTo(Why.STOPPED);
    assertThat(strings(t, "SELECT column_name FROM information_schema.columns"))
        .doesNotContain(CANARY);
    assertThat(strings(t, "SELECT status_description FROM belay_governor_queue"))
        .singleElement()
        .asString()
        .contains("fix: ");
  }

  /** Settings for an administrator, logins in the URL and encrypted files work as before. */
  @ParameterizedTest
  @CsvSource({
    "'',                                                    '',   ''",
    "'',                                                    root, o'ne",
    ";CIPHER=AES,                                           root, of-file of-user",
    ";USER=root;PASSWORD=o\\;ne,                            '',   ",
    ";MODE=MySQL;DATABASE_TO_LOWER=TRUE, root, one",
    ";DB_CLOSE_DELAY=1;INIT=CREATE SCHEMA IF NOT EXISTS app\\;SET SCHEMA app, root, one"
  })
  void a_database_is_entered_as_its_url_says(
      String settings, String user, @Nullable String password, @TempDir Path dir) throws Exception {
    Target t =
        new Target(
            "jdbc:h2:file:" + dir.resolve("db") + settings, user, Optional.ofNullable(password));
    for (int i = 1; i <= 2; i++) {
      EveryDatabase.work(t);
      try (Desk desk = Desk.open(List.of(t), "eve")) {
        desk.add(EveryDatabase.wish("CREATE TABLE done" + i + " (n int)"));
      }
      assertThat(EveryDatabase.work(t).why()).isEqualTo(Why.DRAINED);
      try (Session s = Session.open(t, "test")) {
        assertThat(Sql.query(s.connection(), "SELECT CURRENT_USER", r -> r.getString(1)))
            .hasValueSatisfying(name -> assertThat(name).isEqualToIgnoringCase(H2User.NAME));
      }
    }
  }

  @Test
  void a_new_password_of_the_administrator_is_followed() throws SQLException {
    Target t = new Target(fresh().url(), "root", Optional.of("one"));
    Session.open(t, "test").close();
    try (Connection c = DriverManager.getConnection(t.url(), "root", "one")) {
      Sql.run(c, "ALTER USER root SET PASSWORD 'two'");
    }
    Session.open(new Target(t.url(), "root", Optional.of("two")), "test").close();
  }

  @Test
  void a_user_without_the_rights_of_an_administrator_is_used_itself() throws SQLException {
    Target t = withTable();
    Target clerk = clerk(t);
    try (Session s = Session.open(clerk, "test")) {
      assertThat(Sql.query(s.connection(), "SELECT CURRENT_USER", r -> r.getString(1)))
          .hasValue("CLERK");
    }
  }

  @Test
  void an_administrator_of_that_name_is_refused() throws SQLException {
    Target t = fresh();
    run(t, "CREATE USER BELAY_GOVERNOR PASSWORD '' ADMIN");
    assertThatThrownBy(() -> Session.open(t, "test"))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("fix: ALTER USER BELAY_GOVERNOR ADMIN FALSE");
  }
}
