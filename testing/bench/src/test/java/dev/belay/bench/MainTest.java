package dev.belay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {

  private static final Map<List<String>, String> REFUSED =
      Map.of(
          List.of("--guard", "--migrations", "10"), "different measurements: choose one",
          List.of("--guard", "--foreign-pods", "10"), "different measurements: choose one",
          List.of("--guard", "--writes", "39"), "--writes 39: at least 40 are needed for a p95",
          List.of("--guard", "--writes", "many"), "'--writes'",
          List.of("--writes", "50"), "--writes is only for --guard",
          List.of("--rounds", "0"), "--rounds 0: at least 1 is needed",
          List.of("--replicas", "1"), "--replicas 1: a rollout has no steps below 2",
          List.of("--migrations", "-1"), "--migrations -1 is negative",
          List.of("--foreign-pods", "-1"), "--foreign-pods -1 is negative",
          List.of("--gaurd"), "'--gaurd'");

  @Test
  void refuses_arguments_that_make_no_sense_in_two_lines() {
    REFUSED.forEach((args, message) -> {
      var err = new StringWriter();
      int code =
          Main.commandLine().setErr(new PrintWriter(err)).execute(args.toArray(String[]::new));
      assertThat(code).isEqualTo(CommandLine.ExitCode.USAGE);
      assertThat(err.toString())
          .startsWith("belay-bench: ")
          .contains(message)
          .endsWith("fix: see make bench ARGS=--help" + System.lineSeparator())
          .hasLineCount(2);
    });
  }
}
