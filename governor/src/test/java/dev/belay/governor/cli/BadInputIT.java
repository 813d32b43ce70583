package dev.belay.governor.cli;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** What people and programs get wrong, and which answer they get. */
class BadInputIT {

  @TempDir Path dir;

  /** The kinds of answers. */
  enum Answer {
    /** Before anything is queued or run, with the place and the cure. */
    REFUSED(2),
    /** The line stands until a person decides; nothing behind it runs. */
    BLOCKED(1),
    /** It makes no difference. */
    ACCEPTED(0);

    private final int code;

    Answer(int code) {
      this.code = code;
    }
  }

  private static final String ONE = "V1__table.sql";
  private static final String TWO = "V2__more.sql";
  private static final String TABLE = "CREATE TABLE t (n int);\n";

  static Stream<Arguments> files() {
    return Stream.of(
        file("an empty file", TWO, "", Answer.REFUSED, TWO + ":1: no statement in it"),
        file("only a comment", TWO, "-- soon", Answer.REFUSED, TWO + ":1: no statement in it"),
        file("a gap", "V3__x.sql", "SELECT 1", Answer.REFUSED, "between V1 and V3"),
        file("below the highest", "V0.5__x.sql", "SELECT 1", Answer.REFUSED, "comes after 1 was"),
        file("the same version", "V01__x.sql", "SELECT 1", Answer.REFUSED, "version 1 is also"),
        file("no version", "more.sql", "SELECT 1", Answer.REFUSED, "the name must be V<version>"),
        file("repeatable", "R__view.sql", "SELECT 1", Answer.REFUSED, "make it the next V file"),
        file("changed after it ran", ONE, "DROP TABLE t;", Answer.REFUSED, "changed after it was"),
        file("BOM and CRLF", ONE, "\uFEFFCREATE TABLE t (n int);\r\n", Answer.ACCEPTED, "drained"),
        file(
            "a commit inside", TWO, "SELECT 1;\nCOMMIT;", Answer.REFUSED, TWO + ":2: COMMIT would"),
        file("a psql command", TWO, "\\i other.sql", Answer.REFUSED, TWO + ":1: a psql command"),
        file("a NUL", TWO, "SELECT 1\0;", Answer.REFUSED, TWO + ":1: a NUL character"),
        file("an open quote", TWO, "SELECT 'a;", Answer.REFUSED, "that is never closed"),
        file("an unknown word", TWO, "-- belay:fase x\nSELECT 1", Answer.REFUSED, "belay:fase is"),
        file("no such phase", TWO, "-- belay:phase x\nSELECT 1", Answer.REFUSED, "write expand"),
        file(
            "the second statement fails",
            TWO,
            "INSERT INTO t VALUES (1);\nINSERT INTO u VALUES (1);",
            Answer.BLOCKED,
            "operation 2 failed: statement 2 of 2"),
        file("a syntax error", TWO, "SELEKT 1;", Answer.BLOCKED, "operation 2 failed"));
  }

  private static Arguments file(String what, String name, String text, Answer answer, String says) {
    return Arguments.of(what, entry(name, text), answer, says);
  }

  @ParameterizedTest(name = "{0}: {2}")
  @MethodSource("files")
  void of_files(String what, Map.Entry<String, String> file, Answer answer, String says)
      throws Exception {
    Path folder = Files.createDirectory(dir.resolve("sql"));
    Files.writeString(folder.resolve(ONE), TABLE);
    assertThat(run(folder).code()).isZero();
    int before = queued();
    Files.writeString(folder.resolve(file.getKey()), file.getValue());
    Said said = run(folder);
    assertThat(said.text()).contains(says);
    assertThat(said.code()).isEqualTo(answer.code);
    assertThat(queued() > before).as("queued").isEqualTo(answer == Answer.BLOCKED);
    if (answer == Answer.BLOCKED) {
      Files.writeString(folder.resolve("V3__behind.sql"), "CREATE TABLE behind (n int);");
      assertThat(run(folder).code()).isEqualTo(1);
      assertThat(rows("SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'BEHIND'"))
          .isZero();
    }
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        Arguments.of(
            "a text changed by hand",
            "INSERT INTO belay_governor_queue (op, checksum) VALUES ('SELECT 1', 'sha256:0')",
            "its text is not the one that was queued"),
        Arguments.of(
            "an unknown format",
            "INSERT INTO belay_governor_queue (op, op_format) VALUES ('return 1', 'lua')",
            "op_format \"lua\" is not known; use sql or sql_script"),
        Arguments.of(
            "several statements as one",
            "INSERT INTO belay_governor_queue (op) VALUES ('SELECT 1; SELECT 2')",
            "use sql_script"),
        Arguments.of(
            "no statement",
            "INSERT INTO belay_governor_queue (op) VALUES (' ; ')",
            "there is no statement in op"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void of_rows(String what, String insert, String says) throws Exception {
    governor("init");
    execute(insert);
    execute("INSERT INTO belay_governor_queue (op) VALUES ('CREATE TABLE behind (n int)')");
    Said said = governor("run", "--once");
    assertThat(said.code()).isEqualTo(Answer.BLOCKED.code);
    assertThat(said.text()).contains("operation 1 failed", says);
    assertThat(rows("SELECT COUNT(*) FROM belay_governor_queue WHERE status = 'pending'")).isOne();
  }

  private record Said(int code, String text) {}

  private Said run(Path folder) {
    return governor("run", "--once", "--folder", folder.toString());
  }

  private Said governor(String... args) {
    StringWriter said = new StringWriter();
    int code =
        new CommandLine(new GovernorCommand())
            .setOut(new PrintWriter(said))
            .setErr(new PrintWriter(said))
            .execute(
                Stream.concat(Stream.of(args), Stream.of("--url", url())).toArray(String[]::new));
    return new Said(code, said.toString());
  }

  private String url() {
    return "jdbc:h2:file:" + dir.resolve("q");
  }

  private int queued() throws Exception {
    return new ObjectMapper().readTree(governor("ls", "-o", "json").text()).size();
  }

  private void execute(String sql) throws Exception {
    try (Connection c = DriverManager.getConnection(url());
        Statement s = c.createStatement()) {
      s.execute(sql);
    }
  }

  private int rows(String sql) throws Exception {
    try (Connection c = DriverManager.getConnection(url());
        var s = c.prepareStatement(sql);
        var r = s.executeQuery()) {
      r.next();
      return r.getInt(1);
    }
  }
}
