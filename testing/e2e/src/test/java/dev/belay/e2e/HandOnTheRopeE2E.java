package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Workload;
import dev.belay.demo.BelayView;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLockTarget;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person does while a roll-out is under way. */
@ExtendWith(Arena.Provider.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = "nodes", mode = ResourceAccessMode.READ, target = ResourceLockTarget.CHILDREN)
class HandOnTheRopeE2E {

  private static final String ONE_ZERO = "tiny:1.0";
  private static final String TWO_ZERO = "tiny:2.0";

  @Test
  void paused_nothing_moves_and_resumed_it_goes_on(Arena arena) {
    try (Place place = arena.place("paused")) {
      BelayView belay = TinySet.of(3).in(place);
      place.patch("tiny", "\"paused\":true");
      place.await("it is paused", () -> belay.phase().equals("Paused"));
      place.kubectl("set", "image", "sts/tiny", "tiny=" + TWO_ZERO);
      place.await("it says why it waits", () -> belay.rule().equals("NotPaused"));
      assertThat(belay.is("Paused")).isTrue();
      assertThat(place.images()).containsOnly(ONE_ZERO);

      place.patch("tiny", "\"paused\":false");
      place.await("it is done", () -> idleOn(belay, place, TWO_ZERO));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"retry", "rollback", "target"})
  void aborted_it_stays_where_it_is_until_somebody_says_where_to_go(String out, Arena arena) {
    try (Place place = arena.place("aborted-then-" + out)) {
      BelayView belay = TinySet.of(3).in(place);
      Map<String, String> before = place.uids();
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold=true");
      place.kubectl("set", "image", "sts/tiny", "tiny=" + TWO_ZERO);
      place.await("one is new", () -> belay.rule().equals("PodIsNotHeld"));

      place.patch("tiny", "\"requests\":{\"abort\":\"enough\"}");
      place.await("it is held", () -> belay.rule().equals("RevisionIsNotRefused"));
      assertThat(partition(place)).isEqualTo(Workload.FROZEN);
      assertThat(belay.phase()).isEqualTo("Held");
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold-");
      Map<String, String> mixed = place.imageByPod();
      assertThat(mixed).containsEntry("tiny-2", TWO_ZERO).containsEntry("tiny-1", ONE_ZERO);
      assertThat(place.deleted()).containsExactly("tiny-2");

      switch (out) {
        case "retry" -> {
          place.patch("tiny", "\"requests\":{\"retry\":\"again\"}");
          place.await("it is done", () -> idleOn(belay, place, TWO_ZERO));
        }
        case "rollback" -> {
          place.patch("tiny", "\"requests\":{\"rollback\":\"back\"}");
          place.await(
              "it is back", () -> place.ready() == 3 && place.images().equals(Set.of(ONE_ZERO)));
          place.await("nothing is under way", () -> belay.phase().equals("Held"));
          assertThat(belay.rule()).isEqualTo("RevisionIsNotRefused");
          assertThat(place.uids())
              .containsEntry("tiny-0", before.get("tiny-0"))
              .containsEntry("tiny-1", before.get("tiny-1"));
        }
        default -> {
          place.kubectl("set", "image", "sts/tiny", "tiny=tiny:3.0");
          place.await("it is done", () -> idleOn(belay, place, "tiny:3.0"));
        }
      }
    }
  }

  @Test
  void forced_everything_is_let_through_with_everything_down_under_OrderedReady(Arena arena)
      throws IOException {
    var set = new TinySet("tiny", 3, 0, "OrderedReady");
    try (Place place = arena.place("forced")) {
      assertThat(
              place.apply(set.statefulSet().replace(ONE_ZERO, "tiny:" + TinySet.FAILS_LATER)).ok())
          .isTrue();
      place.await("all members", () -> place.ready() == 3);
      assertThat(place.apply(set.statefulCluster()).ok()).isTrue();
      BelayView belay = place.adopted("tiny");
      Files.createFile(arena.tinyImage(TinySet.FAILS_LATER).resolve("down"));
      place.await("nobody is ready", () -> place.ready() == 0);
      place.kubectl("set", "image", "sts/tiny", "tiny=" + TWO_ZERO);
      place.await("no gate can pass", () -> belay.phase().equals("Waiting"));

      place.kubectl("annotate", "stc", "tiny", "belay.dev/force-rolling-update=true");

      place.await("it is done", () -> idleOn(belay, place, TWO_ZERO));
      place.await(
          "the annotation was for one roll-out",
          () ->
              !place
                  .kubectl("get", "stc", "tiny", "-o", "jsonpath={.metadata.annotations}")
                  .contains("belay.dev/force-rolling-update"));
      assertThat(belay.status().orElseThrow().history().getFirst().forcedBy())
          .isEqualTo(Arena.PERSON);
    }
  }

  @Test
  void deleted_midway_nothing_restarts_and_the_partition_stays(Arena arena) {
    try (Place place = arena.place("deleted")) {
      BelayView belay = TinySet.of(3).in(place);
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold=true");
      place.kubectl("set", "image", "sts/tiny", "tiny=" + TWO_ZERO);
      place.await("one is new", () -> belay.rule().equals("PodIsNotHeld"));
      int partition = partition(place);
      Map<String, String> uids = place.uids();

      place.kubectl("delete", "stc", "tiny");

      assertThat(partition(place)).isEqualTo(partition);
      assertThat(place.uids()).isEqualTo(uids);
      place.await(
          "an event says what is left",
          () -> place.kubectl("get", "events").contains("kubectl patch statefulset tiny"));
      assertThat(place.deleted()).as("all that ever went").containsExactly("tiny-2");
    }
  }

  @Test
  void scaled_and_upgraded_in_one_apply_it_grows_first_on_the_old_revision(Arena arena) {
    try (Place place = arena.place("scale-upgrade")) {
      BelayView belay = TinySet.of(3).in(place);
      var both = TinySet.of(5).statefulSet().replace(ONE_ZERO, TWO_ZERO);
      try (var pods = new PodHistory(arena.client(), "scale-upgrade")) {
        assertThat(place.apply(both).ok()).isTrue();
        place.await("it is done", () -> idleOn(belay, place, TWO_ZERO) && place.ready() == 5);
        assertThat(pods.lives()).as("3 and 4 start old, then are replaced").hasSize(5);
        assertThat(pods.lives().values()).containsOnly(2);
      }
    }
  }

  @Test
  @ResourceLock("nodes")
  void a_drain_in_the_middle_is_waited_for(Arena arena) {
    try (Place place = arena.place("node-drained")) {
      BelayView belay = TinySet.of(3).in(place);
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold=true");
      place.kubectl("set", "image", "sts/tiny", "tiny=" + TWO_ZERO);
      place.await("one is new", () -> belay.rule().equals("PodIsNotHeld"));
      String node = Objects.requireNonNull(place.pods().get("tiny-0")).getSpec().getNodeName();
      place.kubectl("cordon", node);
      try {
        place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold-");
        place.await("the node is named", () -> belay.rule().equals("NobodyElseIsLeaving"));
        assertThat(belay.sentence()).contains(node);
        assertThat(place.deleted()).containsExactly("tiny-2");
        place.kubectl("drain", node, "--pod-selector=app=tiny", "--timeout=60s");
        place.await(
            "all have moved, and it is done while the node is still empty",
            () -> idleOn(belay, place, TWO_ZERO) && place.ready() == 3);
        assertThat(place.deleted())
            .as("the drain takes its own, then Belay goes on where it was")
            .contains("tiny-0")
            .startsWith("tiny-2")
            .endsWith("tiny-1", "tiny-0");
        assertThat(place.pods().values())
            .noneMatch(pod -> node.equals(pod.getSpec().getNodeName()));
      } finally {
        place.kubectl("uncordon", node);
      }
    }
  }

  @Test
  void a_budget_that_allows_nothing_is_waited_for(Arena arena) {
    try (Place place = arena.place("budget")) {
      BelayView belay = TinySet.of(3).in(place);
      place.apply(
          """
          apiVersion: policy/v1
          kind: PodDisruptionBudget
          metadata: {name: nobody}
          spec: {maxUnavailable: 0, selector: {matchLabels: {app: tiny}}}
          """);
      place.kubectl("set", "image", "sts/tiny", "tiny=" + TWO_ZERO);
      place.await("the budget is named", () -> belay.rule().equals("DisruptionBudgetAllows"));
      assertThat(place.images()).containsOnly(ONE_ZERO);
      place.kubectl("delete", "pdb", "nobody");
      place.await("it is done", () -> idleOn(belay, place, TWO_ZERO));
    }
  }

  @Test
  void what_was_planned_is_what_happens(Arena arena) {
    try (Place place = arena.place("planned")) {
      BelayView belay = TinySet.of(3).in(place);
      place.kubectl("annotate", "stc", "tiny", "belay.dev/plan-to=2.0");
      place.await("the operator answers", () -> belay.status().orElseThrow().planned() != null);
      var planned = Objects.requireNonNull(belay.status().orElseThrow().planned());
      assertThat(planned.to()).isEqualTo("2.0");
      assertThat(place.images()).as("nothing is changed by asking").containsOnly(ONE_ZERO);
      place.kubectl("annotate", "stc", "tiny", "belay.dev/plan-to-");

      place.kubectl("set", "image", "sts/tiny", "tiny=" + TWO_ZERO);
      place.await("it is done", () -> idleOn(belay, place, TWO_ZERO));

      assertThat(place.deleted().stream().map(pod -> "release " + pod).toList())
          .isEqualTo(planned.steps());
    }
  }

  private static boolean idleOn(BelayView belay, Place place, String image) {
    return belay.phase().equals("Idle") && place.images().equals(Set.of(image));
  }

  private static int partition(Place place) {
    return Integer.parseInt(
        place.kubectl(
            "get", "sts", "tiny", "-o", "jsonpath={.spec.updateStrategy.rollingUpdate.partition}"));
  }
}
