package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.e2e.Audit.Deletion;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLockTarget;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ordinals are numbers, partitions are indexes, and a frozen set grows on the old revision. */
@ExtendWith(Arena.Provider.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = "nodes", mode = ResourceAccessMode.READ, target = ResourceLockTarget.CHILDREN)
class OrderE2E {

  @Test
  void twelve_replicas_roll_from_11_to_0(Arena arena) {
    rollsInOrder(arena, "twelve", TinySet.of(12), "");
  }

  @Test
  void two_that_may_be_away_by_the_sets_own_strategy_still_go_one_by_one(Arena arena) {
    rollsInOrder(
        arena,
        "two-away",
        TinySet.of(3),
        "{\"updateStrategy\": {\"rollingUpdate\": {\"maxUnavailable\": 2}}}");
  }

  @Test
  void ordinals_may_start_at_5(Arena arena) {
    rollsInOrder(arena, "start-five", new TinySet("tiny", 3, 5, "Parallel"), "");
  }

  private static void rollsInOrder(Arena arena, String namespace, TinySet set, String spec) {
    try (Place place = arena.place(namespace)) {
      BelayView belay = set.in(place);
      if (!spec.isEmpty()) {
        place.kubectl("patch", "sts", "tiny", "-p", "{\"spec\": " + spec + "}");
      }
      try (var pods = new PodHistory(arena.client(), namespace)) {
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
        place.await("the roll-out begins", () -> belay.is("Upgrading"));
        place.await("the roll-out ends", () -> belay.phase().equals("Idle"));
        assertThat(pods.lives()).hasSize(set.replicas());
        assertThat(pods.lives().values()).as("pods by name: %s", pods.lives()).containsOnly(2);
      }
      List<String> highestFirst =
          IntStream.range(0, set.replicas())
              .mapToObj(i -> "tiny-" + (set.firstOrdinal() + set.replicas() - 1 - i))
              .toList();
      List<Deletion> deletions = new Audit(arena.sandbox().auditLog()).podDeletions(namespace);
      // The controller may repeat a delete of a pod that is already going: who was restarted how
      // often is told by the uids above, in which order by the first delete of each.
      assertThat(deletions.stream().map(Deletion::pod).distinct().toList())
          .as("the order of deletes: %s", deletions)
          .isEqualTo(highestFirst);
      assertThat(place.images()).containsOnly("tiny:2.0");
    }
  }

  @Test
  @ResourceLock("nodes")
  void a_frozen_set_grows_on_the_old_revision(Arena arena) {
    try (Place place = arena.place("grows")) {
      BelayView belay = TinySet.of(3).in(place);
      // A cordoned node holds the roll-out without hurting anybody.
      String node = Objects.requireNonNull(place.pods().get("tiny-0")).getSpec().getNodeName();
      place.kubectl("cordon", node);
      try {
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
        place.await("Belay holds", () -> belay.rule().equals("NobodyElseIsLeaving"));
        assertThat(belay.sentence()).contains(node);

        place.kubectl("scale", "sts/tiny", "--replicas=5");
        place.await("five members", () -> place.ready() == 5);
        assertThat(place.images()).containsOnly("tiny:1.0");
      } finally {
        place.kubectl("uncordon", node);
      }
      place.await("the roll-out ends", () -> belay.phase().equals("Idle"));
      assertThat(place.pods()).hasSize(5);
      assertThat(place.images()).containsOnly("tiny:2.0");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 2})
  void replicas_changed_after_the_first_is_new_skip_nobody_and_restart_nobody_twice(
      int replicas, Arena arena) {
    try (Place place = arena.place("midway-to-" + replicas);
        var pods = new PodHistory(arena.client(), "midway-to-" + replicas)) {
      BelayView belay = TinySet.of(3).in(place);
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold=true");
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
      place.await("one is new", () -> belay.rule().equals("PodIsNotHeld"));
      assertThat(place.imageByPod()).containsEntry("tiny-2", "tiny:2.0");

      place.kubectl("scale", "sts/tiny", "--replicas=" + replicas);
      place.await("it has its size", () -> place.ready() == replicas);
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold-");

      place.await(
          "all is new",
          () ->
              belay.phase().equals("Idle")
                  && place.ready() == replicas
                  && place.images().equals(Set.of("tiny:2.0")));
      assertThat(place.pods()).hasSize(replicas);
      assertThat(belay.status().orElseThrow().updated()).isEqualTo(replicas + "/" + replicas);
      assertThat(pods.lives())
          .as("those that were there")
          .containsEntry("tiny-0", 2)
          .containsEntry("tiny-1", 2)
          .containsEntry("tiny-2", 2);
      assertThat(pods.lives().values()).as("and those that came").allMatch(lives -> lives <= 2);
      if (replicas > 3) {
        assertThat(pods.mostTakenDown()).isEqualTo(1);
      }
    }
  }

  @Test
  void scaled_to_nothing_midway_and_up_again_it_ends_new(Arena arena) {
    try (Place place = arena.place("to-nothing")) {
      BelayView belay = TinySet.of(3).in(place);
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold=true");
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
      place.await("one is new", () -> belay.rule().equals("PodIsNotHeld"));

      place.kubectl("scale", "sts/tiny", "--replicas=0");
      place.await("nobody is left", () -> place.pods().isEmpty());
      place.await("it is seen", () -> Objects.equals(belay.status().orElseThrow().replicas(), 0));
      place.kubectl("scale", "sts/tiny", "--replicas=3");

      place.await(
          "all is new",
          () ->
              belay.phase().equals("Idle")
                  && place.ready() == 3
                  && place.images().equals(Set.of("tiny:2.0")));
    }
  }
}
