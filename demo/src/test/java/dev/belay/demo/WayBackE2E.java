package dev.belay.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.demo.Arena.Place;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong is named, touches one member, and there is a way back. */
@ExtendWith(Arena.Provider.class)
class WayBackE2E {

  private static final String ONE_ZERO = "tiny:1.0";

  @ParameterizedTest
  @CsvSource({
    "missing, 9.9, ErrImagePull|ImagePullBackOff, revert",
    "crashes, 2.1-crashes, CrashLoopBackOff, fix",
    "hangs, 2.2-hangs, ReadyTimeout, rollback",
  })
  void every_failure_is_named_touches_one_member_and_can_be_cured(
      String name, String tag, String reasons, String cure, Arena arena) {
    try (Place place = arena.place("fails-" + name)) {
      BelayView belay = TinySet.of(3).in(place);
      place.kubectl(
          "patch",
          "stc",
          "tiny",
          "--type=json",
          "-p",
          "[{\"op\":\"add\",\"path\":\"/spec/components/0/rollout/readyTimeout\",\"value\":\"6s\"}]");
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:" + tag);

      place.await("the failure is named", () -> belay.is("Error"));

      assertThat(error(belay).getReason()).isEqualTo("UpgradeFailed");
      assertThat(error(belay).getMessage()).contains("tiny-2").containsPattern(reasons);
      assertThat(belay.phase()).isEqualTo("Failed");
      assertThat(place.imageByPod())
          .containsExactlyInAnyOrderEntriesOf(
              Map.of("tiny-0", ONE_ZERO, "tiny-1", ONE_ZERO, "tiny-2", "tiny:" + tag));
      assertThat(refused(belay).getFirst().reason()).containsPattern(reasons);
      switch (cure) {
        case "revert" -> place.kubectl("set", "image", "sts/tiny", "tiny=tiny:1.0");
        case "fix" -> place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
        default -> place.patch("tiny", "\"requests\":{\"rollback\":\"now\"}");
      }
      String healed = cure.equals("fix") ? "tiny:2.0" : ONE_ZERO;
      place.await(
          "everyone is well again",
          () -> place.ready() == 3 && place.images().equals(Set.of(healed)));
      if (cure.equals("rollback")) {
        place.await("it stays refused", () -> belay.rule().equals("RevisionIsNotRefused"));
        assertThat(history(belay).getFirst().outcome()).isEqualTo("RolledBack");
      } else {
        place.await("it rests", () -> belay.phase().equals("Idle"));
        assertThat(refused(belay)).isEmpty();
      }
    }
  }

  @Test
  void an_unschedulable_member_is_named(Arena arena) {
    try (Place place = arena.place("unschedulable")) {
      BelayView belay = TinySet.of(3).in(place);
      place.kubectl(
          "patch",
          "sts",
          "tiny",
          "-p",
          "{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{\"disk\":\"none-such\"}}}}}");

      place.await("the failure is named", () -> belay.is("Error"));

      assertThat(error(belay).getMessage()).contains("tiny-2").contains("Unschedulable");
    }
  }

  /** S9: what failed once does not get to the next member because it looks well for a second. */
  @ParameterizedTest
  @ValueSource(strings = {"Parallel", "OrderedReady"})
  void a_member_that_is_ready_between_two_crashes_lets_nobody_else_through(
      String order, Arena arena) {
    try (Place place = arena.place("flickers-" + order.toLowerCase(java.util.Locale.ROOT))) {
      // Long enough that the first crash comes before the next member's turn.
      BelayView belay = new TinySet("tiny", 3, 0, order).in(place, "upgrade: {onFailure: Hold}");
      place.kubectl(
          "patch",
          "stc",
          "tiny",
          "--type=json",
          "-p",
          "[{\"op\":\"add\",\"path\":\"/spec/components/0/rollout/soak\",\"value\":\"4s\"}]");
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:" + TinySet.FLICKERS);

      place.await("the failure is named", () -> belay.is("Error"));
      place.kubectl(
          "patch",
          "stc",
          "tiny",
          "--type=json",
          "-p",
          "[{\"op\":\"add\",\"path\":\"/spec/components/0/rollout/soak\",\"value\":\"0s\"}]");
      long restarts = restarts(place);
      place.await("it was ready and crashed again", () -> restarts(place) >= restarts + 2);

      assertThat(place.imageByPod())
          .containsEntry("tiny-0", ONE_ZERO)
          .containsEntry("tiny-1", ONE_ZERO);
      assertThat(belay.phase()).isEqualTo("Failed");
    }
  }

  private static long restarts(Place place) {
    return place.pods().get("tiny-2").getStatus().getContainerStatuses().stream()
        .mapToLong(s -> s.getRestartCount())
        .sum();
  }

  @Test
  void with_onFailure_rollback_a_failed_revision_is_withdrawn_and_the_template_is_not_written(
      Arena arena) {
    try (Place place = arena.place("withdraws")) {
      BelayView belay = TinySet.of(3).in(place, "upgrade: {onFailure: Rollback}");
      // The first member works, the second one does not: both have to go back.
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:" + TinySet.CRASHES);

      place.await("it is withdrawn", () -> belay.rule().equals("RevisionIsNotRefused"));

      assertThat(place.images()).containsOnly(ONE_ZERO);
      assertThat(place.kubectl("get", "sts", "tiny", "-o", "jsonpath={.spec.template}"))
          .contains(TinySet.CRASHES);
      assertThat(belay.is("Error")).isTrue();
      assertThat(error(belay).getMessage()).contains("CrashLoopBackOff");
      assertThat(belay.status().orElseThrow().history().getFirst().outcome())
          .isEqualTo("RolledBack");

      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
      place.await(
          "another template is another matter",
          () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:2.0")));
      assertThat(belay.is("Error")).isFalse();
    }
  }

  @Test
  void rolled_back_on_request_midway_and_tried_again_on_request(Arena arena) {
    try (Place place = arena.place("rollback")) {
      BelayView belay = TinySet.of(3).in(place);
      Map<String, String> before = place.uids();
      place.kubectl("annotate", "pod", "tiny-0", "belay.dev/hold=true");
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
      place.await("two are new, one is held", () -> belay.rule().equals("PodIsNotHeld"));
      assertThat(belay.status().orElseThrow().plan()).isNotEmpty();

      place.patch("tiny", "\"requests\":{\"rollback\":\"not-today\"}");

      place.await("everyone is back", () -> belay.rule().equals("RevisionIsNotRefused"));
      assertThat(place.images()).containsOnly(ONE_ZERO);
      assertThat(place.uids()).containsEntry("tiny-0", before.get("tiny-0"));
      assertThat(belay.is("Error")).isFalse();
      assertThat(belay.sentence()).contains("not-today");

      place.kubectl("annotate", "pod", "tiny-0", "belay.dev/hold-");
      place.patch("tiny", "\"requests\":{\"retry\":\"after-lunch\"}");
      place.await(
          "it is done after all",
          () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:2.0")));
      assertThat(history(belay).stream().map(StatefulClusterStatus.Past::outcome).toList())
          .containsExactly("Completed", "RolledBack");
    }
  }

  @Test
  void a_path_without_return_is_asked_about_before_and_refused_after(Arena arena) {
    try (Place place = arena.place("irreversible")) {
      BelayView belay =
          TinySet.of(3)
              .in(
                  place,
                  "upgrade:",
                  "  approval: BeforeIrreversible",
                  "  paths: [{from: 1.x, to: 2.x, irreversible: true}]");
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold=true");
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
      place.await(
          "approval is asked for",
          () -> "2.0/tiny/irreversible".equals(belay.status().orElseThrow().waitingFor()));
      assertThat(place.images()).containsOnly(ONE_ZERO);

      place.patch("tiny", "\"requests\":{\"approve\":\"1.9/tiny/irreversible\"}");
      place.await(
          "a stale approval is said to be one",
          () ->
              belay
                  .sentence()
                  .contains("the approval 1.9/tiny/irreversible is for something else"));
      assertThat(place.images()).containsOnly(ONE_ZERO);

      place.patch("tiny", "\"requests\":{\"approve\":\"2.0/tiny/irreversible\"}");
      place.await("the first is new, the next held", () -> belay.rule().equals("PodIsNotHeld"));
      place.patch("tiny", "\"requests\":{\"rollback\":\"too-late\"}");
      place.await("it says why not", () -> belay.rule().equals("WayBackIsOpen"));
      assertThat(belay.sentence()).contains("declares 1.0 to 2.0 irreversible");
      assertThat(place.imageByPod()).containsEntry("tiny-2", "tiny:2.0");
    }
  }

  private static Condition error(BelayView belay) {
    return belay.status().orElseThrow().conditions().stream()
        .filter(c -> c.getType().equals("Error"))
        .findFirst()
        .orElseThrow();
  }

  private static List<StatefulClusterStatus.Refused> refused(BelayView belay) {
    return belay.status().orElseThrow().refused();
  }

  private static List<StatefulClusterStatus.Past> history(BelayView belay) {
    return belay.status().orElseThrow().history();
  }
}
