package dev.belay.governor.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The verbs on an H2 file, as the shell would call them. */
class GovernorCommandIT {

  private static final String CANARY = "hunter2-canary";

  @TempDir Path dir;
  private String url;

  private record Answer(int code, String out, String err) {}

  @BeforeEach
  void h2_file() {
    url = "jdbc:h2:file:" + dir.resolve("q");
  }

  private Answer governor(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    if (!all.contains("--url")) {
      all.addAll(List.of("--url", url));
    }
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(new GovernorCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(all.toArray(String[]::new));
    return new Answer(code, out.toString(), err.toString());
  }

  @Test
  void from_init_to_a_drained_queue() throws Exception {
    assertThat(governor("ls").err()).contains("has no queue; run governor init first");
    assertThat(governor("init").out()).startsWith("cluster ");
    assertThat(governor("ls").out()).contains("the queue is empty");
    assertThat(governor("add", "CREATE TABLE t (n int)").out()).contains("queued operation 1");
    assertThat(governor("add", "INSERT INTO nowhere VALUES (1)", "--description", "oops").code())
        .isZero();
    assertThat(governor("plan").out())
        .contains("operation 1 CREATE TABLE t (n int): custom", "operation 2 oops");
    Answer stopped = governor("run", "--once");
    assertThat(stopped.code()).isEqualTo(1);
    assertThat(stopped.out())
        .contains("operation 1 done", "operation 2 failed", "stopped: operation 2 failed");
    assertThat(governor("plan").code()).isEqualTo(1);
    assertThat(governor("retry", "1").err()).contains("operation 1 is done; only a failed one");
    Path fixed = Files.writeString(dir.resolve("fixed.sql"), "INSERT INTO t VALUES (1)");
    assertThat(governor("retry", "2", "--file", fixed.toString()).code()).isZero();
    assertThat(governor("run", "--once").code()).isZero();
    JsonNode rows = new ObjectMapper().readTree(governor("ls", "-o", "json").out());
    assertThat(rows).hasSize(2);
    assertThat(rows.get(1).get("status").asText()).isEqualTo("done");
    assertThat(rows.get(1).get("attempt").asInt()).isEqualTo(2);
  }

  @Test
  void a_folder_is_queued_once_and_run_by_phases() throws Exception {
    Path folder = Files.createDirectory(dir.resolve("sql"));
    Files.writeString(
        folder.resolve("V1__table.sql"), "-- belay:reversible yes\nCREATE TABLE t (n int);");
    Files.writeString(folder.resolve("V2__drop.sql"), "-- belay:phase contract\nDROP TABLE t;");
    governor("init");
    assertThat(governor("plan", "--folder", folder.toString()).out())
        .contains(
            "V1 table: to be queued, expand\n".stripTrailing(),
            "V2 drop: to be queued, contract; the way back ends here");
    Answer expand = governor("run", "--once", "--folder", folder.toString(), "--phase", "expand");
    assertThat(expand.out())
        .contains("operation 1 done", "waiting: operation 2 waits for phase contract to open");
    assertThat(expand.code()).isEqualTo(3);
    assertThat(governor("run", "--once", "--folder", folder.toString()).code()).isZero();
    assertThat(governor("add", "--folder", folder.toString()).out()).isEmpty();
    Files.writeString(folder.resolve("V2__drop.sql"), "DROP TABLE IF EXISTS t;");
    Answer changed = governor("run", "--once", "--folder", folder.toString());
    assertThat(changed.code()).isEqualTo(2);
    assertThat(changed.err())
        .contains("V2__drop.sql:1: changed after it was queued as operation 2 (done)");
  }

  @Test
  void bad_input_names_the_value_and_the_cure() {
    governor("init");
    assertThat(governor("add").err()).contains("give one of SQL, --file and --folder");
    assertThat(governor("add", "COMMIT").err()).contains("line 1: COMMIT would end");
    assertThat(governor("run", "--once", "--phase", "later").err())
        .contains("\"later\" is not known; write expand");
    assertThat(governor("run", "--once", "--lock-timeout", "0").err())
        .contains("lock timeout")
        .contains("out of range");
    assertThat(governor("run", "--once", "--replica", "jdbc:h2:mem:r").err())
        .contains("H2 has no replicas; leave it out");
    assertThat(governor("run", "--once", "--replica", "jdbc:postgresql://h/d?password=x").err())
        .contains("holds a password");
    assertThat(governor("run", "--once", "--lease", "5").err())
        .contains("lease 5 s must be longer");
    assertThat(governor("resolve", "1").err()).contains("say one of --applied and --not-applied");
    assertThat(governor("ls", "--url", "postgres://x").err()).contains("is not a JDBC URL");
    assertThat(governor("ls", "--url", "jdbc:oracle:x").err()).contains("no known database");
    assertThat(governor("ls", "--last", "0").err()).contains("--last 0 is out of range");
    assertThat(governor("ls", "--lst").code()).isEqualTo(2);
    assertThat(governor("skip", "1").code()).as("--why is asked for").isEqualTo(2);
  }

  @Test
  void errors_are_json_too_when_json_is_asked_for() throws Exception {
    Answer a = governor("ls", "-o", "json");
    JsonNode error = new ObjectMapper().readTree(a.out());
    assertThat(error.get("exitCode").asInt()).isEqualTo(a.code()).isEqualTo(2);
    assertThat(error.get("error").asText()).contains("has no queue");
  }

  @Test
  void a_password_is_never_shown() throws Exception {
    Path right = Files.writeString(dir.resolve("right"), "right-" + CANARY + "\n");
    Path wrong = Files.writeString(dir.resolve("wrong"), "wrong-" + CANARY + "\n");
    List<Answer> all =
        List.of(
            governor("init", "--user", "sa", "--password-file", right.toString()),
            governor("ls", "--user", "sa", "--password-file", wrong.toString()),
            governor("ls", "--url", url + ";USER=sa;PASSWORD=" + CANARY),
            governor("ls", "--url", "jdbc:postgresql://eve:" + CANARY + "@127.0.0.1:1/x"),
            governor("ls", "--url", "jdbc:postgresql://127.0.0.1:1/x?password=" + CANARY));
    assertThat(all).extracting(Answer::code).containsExactly(0, 4, 2, 2, 2);
    assertThat(all).noneMatch(a -> (a.out() + a.err()).contains(CANARY));
    assertThat(all.get(2).err()).contains("holds a password", "--password-file");
  }

  @Test
  void text_of_strangers_does_not_drive_the_terminal() {
    governor("init");
    governor("add", "SELECT 1", "--description", "\u001b[2J\u202egone");
    assertThat(governor("ls").out()).contains("?[2J?gone");
  }
}
