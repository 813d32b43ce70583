package dev.belay.core.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.core.loop.Loop;
import dev.belay.core.snapshot.Snapshot;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of one turn: observe, decide, observe again where it disrupts, record, act. */
class LoopTest {

  private final List<String> calls = new ArrayList<>();

  private Loop loop(ScriptedWorld world, Loop.Recorded recorded) {
    return new Loop(
        new Planner(_ -> world.policy),
        () -> {
          calls.add("observe");
          return world.snapshot();
        },
        (_, _) -> {
          calls.add("record");
          return recorded;
        },
        (_, step) -> {
          calls.add("act " + step.what());
          return new Loop.Acted(true, "");
        });
  }

  @Test
  void a_disruptive_step_is_seen_twice_and_recorded_before_it_is_taken() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    loop(world, Loop.Recorded.WRITTEN).turn();
    assertThat(calls).containsExactly("observe", "observe", "record", "act release etcd-2");
  }

  @Test
  void a_conflict_means_do_nothing_and_look_again() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    loop(world, Loop.Recorded.CONFLICT).turn();
    assertThat(calls).containsExactly("observe", "observe", "record");
  }

  @Test
  void a_step_that_was_not_written_down_is_a_bug_and_nothing_is_touched() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    assertThatThrownBy(() -> loop(world, Loop.Recorded.UNCHANGED).turn())
        .isInstanceOf(IllegalStateException.class);
    assertThat(calls).noneMatch(c -> c.startsWith("act"));
  }

  @Test
  void nothing_is_done_when_the_second_look_differs() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    var looks = new ArrayList<Snapshot>();
    var loop =
        new Loop(
            new Planner(_ -> world.policy),
            () -> {
              if (!looks.isEmpty()) {
                world.silent("etcd-0");
              }
              looks.add(world.snapshot());
              return looks.getLast();
            },
            (_, _) -> Loop.Recorded.WRITTEN,
            (_, step) -> {
              throw new AssertionError("must not act: " + step);
            });
    assertThat(loop.turn().decision()).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void a_settled_cluster_is_not_written_again() {
    ScriptedWorld world = ScriptedWorld.adopted(3);
    var before = world.memory;
    for (int i = 0; i < 10; i++) {
      world.pass(java.time.Duration.ofMinutes(1));
      world.turn();
    }
    assertThat(world.memory).isEqualTo(before);
    assertThat(world.taken).isEmpty();
  }
}
