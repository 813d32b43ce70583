package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.demo.BelayView;
import io.fabric8.kubernetes.api.model.Condition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong is named, touches one member, and there is a way back. */
@ExtendWith(Arena.Provider.class)
@Execution(ExecutionMode.CONCURRENT)
class WayBackE2E {

  private static final String ONE_ZERO = "tiny:1.0";

  private static void onlyTheLastMoved(Place place, Map<String, String> before) {
    assertThat(place.uids())
        .containsEntry("tiny-0", before.get("tiny-0"))
        .containsEntry("tiny-1", before.get("tiny-1"))
        .doesNotContainEntry("tiny-2", before.get("tiny-2"));
  }

  /** S9: what failed once does not get to the next member because it looks well for a second. */
  @ParameterizedTest
  @ValueSource(strings = {"Parallel", "OrderedReady"})
  void a_member_that_is_ready_between_two_crashes_lets_nobody_else_through(
      String order, Arena arena) {
    try (Place place = arena.place("flickers-" + order.toLowerCase(java.util.Locale.ROOT))) {
      // Much longer than it takes to crash: the next member's turn never comes before.
      BelayView belay = new TinySet("tiny", 3, 0, order).in(place, "  rollout: {soak: 5m}");
      Map<String, String> before = place.uids();
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

      onlyTheLastMoved(place, before);
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
      Map<String, String> before = place.uids();
      // The first member works, the second one does not: both have to go back.
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:" + TinySet.SECOND_FAILS);

      place.await("it is withdrawn", () -> belay.rule().equals("RevisionIsNotRefused"));

      assertThat(place.images()).containsOnly(ONE_ZERO);
      assertThat(place.uids()).containsEntry("tiny-0", before.get("tiny-0"));
      assertThat(place.deleted())
          .as("there, and back in the reverse order")
          .startsWith("tiny-2", "tiny-1")
          .hasSize(4)
          .doesNotContain("tiny-0");
      assertThat(place.kubectl("get", "sts", "tiny", "-o", "jsonpath={.spec.template}"))
          .contains(TinySet.SECOND_FAILS);
      assertThat(belay.is("Error")).isTrue();
      assertThat(error(belay).getMessage()).contains("tiny-1").contains("CrashLoopBackOff");
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

  /**
   * tidb-operator#901: the pod that came back in between asked for a configuration that was gone.
   */
  @Test
  void a_pod_that_dies_between_two_targets_comes_back_and_all_end_at_the_second(Arena arena) {
    try (Place place = arena.place("two-targets")) {
      BelayView belay = TinySet.of(3).in(place);
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold=true");
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
      place.await("one is new", () -> belay.rule().equals("PodIsNotHeld"));

      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:3.0");
      place.await(
          "it follows",
          () ->
              "tiny:3.0".equals(place.imageByPod().get("tiny-2"))
                  && belay.rule().equals("PodIsNotHeld"));
      place.kubectl("delete", "pod", "tiny-0", "--wait");
      place.await("it is back on what it ran", () -> place.ready() == 3);
      assertThat(place.imageByPod()).containsEntry("tiny-0", ONE_ZERO);

      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold-");
      place.await(
          "all end at the second",
          () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:3.0")));
    }
  }

  /**
   * pravega-operator#284: after a failed rollback there was nothing left that one could ask for.
   */
  @ParameterizedTest
  @ValueSource(strings = {"retried", "abandoned"})
  @Execution(ExecutionMode.SAME_THREAD) // Both put the same file next to the image.
  void a_way_back_that_fails_can_be_retried_or_abandoned(String out, Arena arena)
      throws IOException {
    Path down = arena.tinyImage(TinySet.ONE_FAILS_LATER).resolve("down-tiny-2");
    String old = "tiny:" + TinySet.ONE_FAILS_LATER;
    try (Place place = arena.place("no-way-back-" + out)) {
      var set = TinySet.of(3);
      Files.deleteIfExists(down);
      assertThat(place.apply(set.statefulSet().replace(ONE_ZERO, old)).ok()).isTrue();
      place.await("all members", () -> place.ready() == 3);
      assertThat(place.apply(set.statefulCluster() + "    rollout: {readyTimeout: 6s}\n").ok())
          .isTrue();
      BelayView belay = place.adopted("tiny");
      Map<String, String> before = place.uids();
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:" + TinySet.CRASHES);
      place.await("the failure is named", () -> belay.is("Error"));

      Files.createFile(down);
      place.patch("tiny", "\"requests\":{\"rollback\":\"now\"}");
      place.await(
          "the way back fails too", () -> error(belay).getReason().equals("RollbackFailed"));
      assertThat(error(belay).getMessage()).contains("tiny-2");
      onlyTheLastMoved(place, before);

      if (out.equals("retried")) {
        Files.delete(down);
        place.patch("tiny", "\"requests\":{\"rollback\":\"again\"}");
        place.await(
            "everyone is back",
            () -> place.ready() == 3 && belay.rule().equals("RevisionIsNotRefused"));
        onlyTheLastMoved(place, before);
        assertThat(place.images()).containsOnly(old);
      } else {
        place.patch("tiny", "\"requests\":{\"abort\":\"enough\"}");
        place.await("it is held", () -> belay.phase().equals("Held"));
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
        place.await(
            "another target is a way out",
            () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:2.0")));
      }
    } finally {
      Files.deleteIfExists(down);
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
      assertThat(belay.status().orElseThrow().upgrade().approvedBy()).isEqualTo(Arena.PERSON);
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

  private static List<StatefulClusterStatus.Past> history(BelayView belay) {
    return belay.status().orElseThrow().history();
  }
}
