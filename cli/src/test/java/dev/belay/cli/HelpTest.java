package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.cli.Samples.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the command line says about itself, and that docs/cli.md says the same. */
class HelpTest {

  private static final Path DOCS = Path.of("../docs/cli.md");
  private static final Pattern BLOCK =
      Pattern.compile("(<!-- usage: (?<verb>[\\w ]+) -->\n```text\n).*?(```\n)", Pattern.DOTALL);

  @Test
  void the_docs_show_the_usage_of_every_verb() throws IOException {
    String text = Files.readString(DOCS);
    String wanted =
        BLOCK
            .matcher(text)
            .replaceAll(m -> Matcher.quoteReplacement(m.group(1) + usage(m.group(2)) + m.group(3)));
    if (Boolean.getBoolean("belay.regenerate")) {
      Files.writeString(DOCS, wanted);
    }
    assertThat(Files.readString(DOCS))
        .as(
            "docs/cli.md has drifted; run: mvn -pl cli test -Dtest=HelpTest -Dbelay.regenerate=true")
        .isEqualTo(wanted);
    for (String verb :
        List.of(
            "belay",
            "status",
            "explain",
            "wait",
            "history",
            "pause",
            "resume",
            "approve",
            "retry",
            "rollback",
            "abort",
            "migration",
            "migration retry",
            "migration skip",
            "migration resolve",
            "release")) {
      assertThat(text).contains("<!-- usage: " + verb + " -->");
    }
  }

  @Test
  void help_names_the_exit_codes() {
    assertThat(usage("wait"))
        .contains("0   done")
        .contains("1   failed")
        .contains("2   held")
        .contains("3   not over")
        .contains("4   anything else");
  }

  @Test
  void wrong_arguments_do_not_look_like_held() {
    Recorder pipe = Recorder.pipe();
    assertThat(Main.run(pipe.terminal(), Clock.systemUTC(), "wait")).isEqualTo(4);
    assertThat(pipe.err().toString()).contains("NAME").contains("cure: belay wait --help");
    assertThat(run("status", "--nonsense")).isEqualTo(4);
    assertThat(run("wait", "x", "--for", "ever")).isEqualTo(4);
    assertThat(run("wait", "x", "--timeout", "soon")).isEqualTo(4);
    assertThat(run("wait", "x", "--timeout", "-1s")).isEqualTo(4);
    assertThat(run("status", "x", "-A")).isEqualTo(4);
    assertThat(run("rollback")).isEqualTo(4);
    assertThat(run("retry", "x", "--token", "mine")).isEqualTo(4);
    assertThat(run("history", "x", "-o", "table")).isEqualTo(4);
    assertThat(run("migration", "resolve", "x")).isEqualTo(4);
    assertThat(run("migration", "resolve", "x", "--applied", "--not-applied")).isEqualTo(4);
    assertThat(run("migration", "retry", "x", "--id", "first")).isEqualTo(4);
    assertThat(run("release")).isEqualTo(4);
    assertThat(run("release", "sts/etcd", "--all")).isEqualTo(4);
    Recorder kind = Recorder.pipe();
    assertThat(Main.run(kind.terminal(), Clock.systemUTC(), "release", "pod/etcd-0")).isEqualTo(4);
    assertThat(kind.err().toString()).contains("'pod/etcd-0' is neither statefulset/NAME nor");
    assertThat(run("nonsense")).isEqualTo(4);
    assertThat(run("status", "--kubeconfig", "/does/not/exist")).isEqualTo(4);
  }

  @Test
  void no_verb_shows_help() {
    Recorder pipe = Recorder.pipe();
    assertThat(Main.run(pipe.terminal(), Clock.systemUTC())).isZero();
    assertThat(pipe.out().toString()).contains("status").contains("explain").contains("wait");
  }

  private static int run(String... args) {
    return Main.run(Recorder.pipe().terminal(), Clock.systemUTC(), args);
  }

  private static String usage(String verb) {
    Recorder pipe = Recorder.pipe();
    String[] args = verb.equals("belay") ? new String[] {"--help"} : (verb + " --help").split(" ");
    assertThat(Main.run(pipe.terminal(), Clock.systemUTC(), args)).isZero();
    return pipe.out().toString();
  }
}
