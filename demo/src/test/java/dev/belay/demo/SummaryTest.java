package dev.belay.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.WriteLoad.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest {

  private static final ActResult FIRST =
      act("without Belay", 5300, new Verdict(812, 810, 2), "3.6.16", "3.5.35", "");
  private static final ActResult SECOND =
      act("3.5 to 3.6, Belay", 210, new Verdict(1022, 1022, 0), "3.6.16", "3.6.16", "3.6.16");
  private static final ActResult THIRD =
      act("3.6 to 3.7, Belay", 190, new Verdict(1533, 1533, 0), "3.7.3", "3.7.3", "3.7.3");

  private static ActResult act(String name, int gap, Verdict verdict, String... versions) {
    boolean first = name.startsWith("without");
    return new ActResult(
        name, Duration.ofMillis(gap), first ? 3 : 1, first ? 0 : 1, verdict, List.of(versions));
  }

  @Test
  void shows_the_acts_side_by_side() {
    assertThat(new Summary(List.of(FIRST, SECOND, THIRD)).table())
        .containsExactly(
            "                      without Belay       3.5 to 3.6, Belay   3.6 to 3.7, Belay",
            "----------------------------------------------------------------------------------",
            "longest write gap     5.3 s               0.2 s               0.2 s",
            "leader moves          3                   1 (1 by Belay)      1 (1 by Belay)",
            "writes acknowledged   812                 1,022               1,533",
            "  read back           810                 1,022               1,533",
            "  lost                2                   0                   0",
            "members run           1x 3.6.16 1x 3.5.35 1x down 3x 3.6.16           3x 3.7.3");
  }

  @Test
  void the_word_is_kept_although_act_1_lost_something() {
    assertThat(new Summary(List.of(FIRST, SECOND, THIRD)).kept()).isTrue();
  }

  @Test
  void one_lost_write_with_Belay_breaks_the_word() {
    ActResult lossy = act("3.5 to 3.6", 200, new Verdict(10, 9, 1), "3.6.16", "3.6.16", "3.6.16");

    assertThat(new Summary(List.of(FIRST, lossy, THIRD)).kept()).isFalse();
  }

  @Test
  void one_member_on_another_version_breaks_the_word() {
    ActResult mixed = act("3.6 to 3.7", 200, new Verdict(10, 10, 0), "3.7.3", "3.7.3", "3.6.16");

    assertThat(new Summary(List.of(FIRST, SECOND, mixed)).kept()).isFalse();
  }

  @Test
  void an_act_without_writes_proves_nothing() {
    ActResult idle = act("3.6 to 3.7", 0, new Verdict(0, 0, 0), "3.7.3", "3.7.3", "3.7.3");

    assertThat(new Summary(List.of(FIRST, SECOND, idle)).kept()).isFalse();
  }
}
