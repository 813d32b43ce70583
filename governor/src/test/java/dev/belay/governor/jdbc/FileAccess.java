package dev.belay.governor.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.governor.Refusal;
import dev.belay.governor.files.MigrationFolder;
import dev.belay.governor.queue.Effect.Rest;
import dev.belay.governor.queue.Effect.Rest.Why;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SQL uses no file of the governor's machine, on every database. */
interface FileAccess extends EveryDatabase {

  String CANARY = "canary-of-the-governor";

  /** A user who may insert into the queue and do nothing else. */
  Target clerk(Target t) throws SQLException;

  /**
   * Statements that use a file of the governor's machine: they copy it into the table loot, run it,
   * write next to it, or load code. Each must fail.
   */
  List<String> thefts(Path file);

  @Test
  default void a_row_of_another_user_reads_no_file_of_the_governor(@TempDir Path dir)
      throws Exception {
    Path file = canary(dir);
    for (String theft : thefts(file)) {
      Target t = withLoot();
      try (Connection c = connect(clerk(t))) {
        Sql.update(c, "INSERT INTO belay_governor_queue (op) VALUES (?)", theft);
      }
      Rest rest = EveryDatabase.work(t);
      assertThat(rest.why()).as("%s: %s", theft, rest.reason()).isEqualTo(Why.STOPPED);
      assertNothingIsTaken(t, file, theft);
    }
  }

  @Test
  default void a_script_reads_no_file_of_the_governor(@TempDir Path dir) throws Exception {
    Path file = canary(dir);
    for (String theft : thefts(file)) {
      Target t = withLoot();
      String script = "INSERT INTO done_by_op VALUES (1);\n" + theft + ";\n";
      try (Desk desk = Desk.open(List.of(t), "eve")) {
        desk.fill(
            MigrationFolder.of(Map.of("V1__x.sql", script), Desk.syntax(t)), Optional.empty());
        assertThat(EveryDatabase.work(t).why()).as(theft).isEqualTo(Why.STOPPED);
      } catch (Refusal e) {
        assertThat(e).hasMessageContaining("V1__x.sql:2: ").hasMessageContaining("fix: ");
        assertThat(strings(t, "SELECT n FROM done_by_op")).isEmpty();
      }
      assertNothingIsTaken(t, file, theft);
    }
  }

  /** The session alone must hold, also where a script would have been refused. */
  @Test
  default void a_session_reads_no_file_of_the_governor(@TempDir Path dir) throws Exception {
    Path file = canary(dir);
    for (String theft : thefts(file)) {
      Target t = withLoot();
      try (Session s = Session.open(t, "test")) {
        assertThatThrownBy(() -> Sql.run(s.connection(), theft))
            .as(theft)
            .isInstanceOf(SQLException.class)
            .hasMessageNotContaining(CANARY);
      }
      assertNothingIsTaken(t, file, theft);
    }
  }

  private static Path canary(Path dir) throws IOException {
    return Files.writeString(dir.resolve("file"), CANARY + "\n");
  }

  private Target withLoot() throws SQLException {
    Target t = withTable();
    run(t, "CREATE TABLE loot (line varchar(1000))");
    return t;
  }

  private void assertNothingIsTaken(Target t, Path file, String theft) throws Exception {
    assertThat(strings(t, "SELECT line FROM loot")).as(theft).isEmpty();
    assertThat(strings(t, "SELECT status_description FROM belay_governor_queue"))
        .as(theft)
        .noneMatch(said -> said.contains(CANARY));
    assertThat(file.getParent()).as(theft).isDirectoryNotContaining(f -> !f.equals(file));
  }
}
