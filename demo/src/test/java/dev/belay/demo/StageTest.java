package dev.belay.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.EtcdMember.Role;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class StageTest {

  private static final EtcdMember LEADER =
      new EtcdMember("etcd-1", "u1", "3.5.35", "3.5.35", Role.LEADER, true);
  private static final EtcdMember SILENT =
      new EtcdMember("etcd-0", "u0", "3.5.35", "", Role.SILENT, false);
  private static final WriteLoad.Figures FLOWING =
      new WriteLoad.Figures(1204, 0, 52, Duration.ofMillis(15), Duration.ofMillis(210));
  private static final WriteLoad.Figures STUCK =
      new WriteLoad.Figures(1204, 9, 0, Duration.ofMillis(3200), Duration.ofMillis(3200));

  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

  private Stage stage(boolean live) {
    return new Stage(
        new PrintStream(shown, true, StandardCharsets.UTF_8),
        new Paint(false),
        live,
        60,
        Clock.fixed(Instant.parse("2026-01-01T12:00:00.25Z"), ZoneOffset.UTC));
  }

  private String shown() {
    return shown.toString(StandardCharsets.UTF_8);
  }

  @Test
  void a_pipe_gets_plain_lines_with_a_time_and_members_only_when_they_change() {
    Stage stage = stage(false);

    stage.command("kubectl get stc");
    stage.show(new Scene(List.of(SILENT, LEADER), FLOWING, ""));
    stage.show(new Scene(List.of(SILENT, LEADER), STUCK, ""));
    stage.say("done");

    assertThat(shown())
        .isEqualTo(
            """
            12:00:00.2  $ kubectl get stc
            12:00:00.2    etcd-0 - silent | etcd-1 3.5.35 leader
            12:00:00.2  done
            """);
  }

  @Test
  void a_terminal_gets_a_panel_that_stays_below_what_is_said() {
    Stage stage = stage(true);

    stage.show(new Scene(List.of(SILENT, LEADER), FLOWING, ""));
    stage.say("etcd-0 freezes");

    assertThat(shown())
        .endsWith(
            "\u001b[4A\r\u001b[J"
                + """
                etcd-0 freezes
                ────────────────────────────────────────────────────────────
                  etcd-0   -        silent     not ready
                  etcd-1   3.5.35   leader     ready
                  writes   52/s, 1,204 acknowledged, longest gap 0.2 s
                """);
  }

  @Test
  void the_panel_says_how_long_nobody_could_write() {
    stage(true).show(new Scene(List.of(LEADER), STUCK, ""));

    assertThat(shown()).contains("none for 3.2 s: no quorum");
  }

  @Test
  void a_sentence_of_Belay_is_shown_whole_on_as_many_lines_as_it_takes() {
    String sentence =
        "etcd-2 waits: EveryGroupSurvives, 2 of 3 voters healthy, 1 would remain, 2 needed";

    List<String> lines =
        new Panel(new Paint(false), 60).lines(new Scene(List.of(LEADER), FLOWING, sentence));

    assertThat(lines).allMatch(line -> line.length() <= 60);
    assertThat(String.join(" ", lines).replaceAll("\\s+", " ")).contains(sentence);
  }

  @Test
  void nothing_is_shown_after_the_end() {
    Stage stage = stage(false);

    stage.close("stopped");
    stage.say("late");
    stage.show(new Scene(List.of(LEADER), FLOWING, ""));
    stage.close("again");

    assertThat(shown()).isEqualTo("12:00:00.2  stopped\n");
  }

  @Test
  void colours_are_only_there_when_wanted() {
    assertThat(new Paint(true).red("x")).isEqualTo("\u001b[1;31mx\u001b[0m");
    assertThat(new Paint(false).red("x")).isEqualTo("x");
  }
}
