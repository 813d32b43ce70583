package dev.belay.core.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.core.loop.Loop;
import dev.belay.core.model.Fleet;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Snapshot;
import java.time.Duration;
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
  void a_set_that_wrote_its_status_between_two_looks_is_written_on_its_newer_state() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    var fences = new ArrayList<Fence>();
    var loop =
        new Loop(
            new Planner(_ -> world.policy),
            () -> {
              world.setVersion++;
              return world.snapshot();
            },
            (_, _) -> Loop.Recorded.WRITTEN,
            (_, step) -> {
              fences.add(step.fence());
              return new Loop.Acted(true, "");
            });
    loop.turn();
    assertThat(fences)
        .containsExactly(
            new Fence.ObjectVersion(
                Fence.Kind.STATEFUL_SET, "etcd", "etcd-uid", "" + world.setVersion));
  }

  @Test
  void a_look_that_is_behind_the_recorded_step_is_no_ground_to_pass_it_over() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    answering(world, new Loop.Acted(false, "no answer in time")).turn();
    world.down("etcd-0");
    long newest = world.setVersion;
    world.setVersion = newest - 1;
    var loop =
        new Loop(
            new Planner(_ -> world.policy),
            () -> {
              calls.add("observe " + (newest - world.setVersion) + " behind");
              Snapshot seen = world.snapshot();
              world.setVersion = newest;
              return seen;
            },
            (_, _) -> Loop.Recorded.WRITTEN,
            (_, step) -> {
              calls.add("act " + step.what());
              return new Loop.Acted(true, "");
            });
    loop.turn();
    assertThat(calls).hasSize(3).last().asString().startsWith("act revoke");
  }

  @Test
  void a_settled_cluster_is_not_written_again() {
    ScriptedWorld world = ScriptedWorld.adopted(3);
    var before = world.memory;
    for (int i = 0; i < 10; i++) {
      world.pass(Duration.ofMinutes(1));
      world.turn();
    }
    assertThat(world.memory).isEqualTo(before);
    assertThat(world.taken).isEmpty();
  }

  @Test
  void what_is_refused_again_and_again_is_tried_ever_more_rarely() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    var pauses = new ArrayList<Duration>();
    for (int i = 0; i < 9; i++) {
      Loop.Turn turn = answering(world, new Loop.Acted(false, "403 forbidden")).turn();
      pauses.add(turn.again());
      world.pass(turn.again());
    }
    assertThat(pauses)
        .extracting(Duration::toMillis)
        .containsExactly(500L, 1000L, 2000L, 4000L, 8000L, 16000L, 30000L, 30000L, 30000L);
  }

  @Test
  void after_a_success_the_next_refusal_is_soon_tried_again() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    var refused = new Loop.Acted(false, "403 forbidden");
    answering(world, refused).turn();
    answering(world, refused).turn();
    Loop.Turn released = world.turn();
    world.replace("etcd-2").up("etcd-2");
    Loop.Turn next = answering(world, refused).turn();

    assertThat(released.again()).isLessThan(Duration.ofMillis(500));
    assertThat(next.decision())
        .isInstanceOfSatisfying(
            Decision.Perform.class, p -> assertThat(p.step().what()).isEqualTo("release etcd-1"));
    assertThat(next.again()).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  void nothing_is_recorded_or_done_when_the_second_look_wants_another_member() {
    ScriptedWorld world = ScriptedWorld.settled(3);
    world.update = Workload.Update.ON_DELETE;
    world.turns(4).template("etcd:3.6.16");
    var looks = new ArrayList<Snapshot>();
    var loop =
        new Loop(
            new Planner(_ -> world.policy),
            () -> {
              if (!looks.isEmpty()) {
                world.pod("etcd-2").held = true;
              }
              looks.add(world.snapshot());
              return looks.getLast();
            },
            (_, _) -> {
              throw new AssertionError("must not record");
            },
            (_, step) -> {
              throw new AssertionError("must not act: " + step);
            });
    Loop.Turn turn = loop.turn();

    assertThat(turn.decision())
        .isInstanceOfSatisfying(
            Decision.Perform.class, p -> assertThat(p.step().what()).isEqualTo("evict etcd-1"));
    assertThat(turn.acted().accepted()).isFalse();
    assertThat(turn.again()).isLessThan(Duration.ofMillis(100));
  }

  @Test
  void after_a_conflict_the_next_look_comes_at_once() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    Loop.Turn turn = loop(world, Loop.Recorded.CONFLICT).turn();

    assertThat(turn.acted().accepted()).isFalse();
    assertThat(turn.again()).isLessThan(Duration.ofMillis(100));
  }

  @Test
  void whoever_does_not_own_a_cluster_writes_nothing_about_it() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    world.self = new Snapshot.Self("another", "one", world.self.account());
    Loop.Turn turn = loop(world, Loop.Recorded.WRITTEN).turn();

    assertThat(calls).containsExactly("observe");
    assertThat(Loop.notOwner(turn.decision())).isTrue();
    assertThat(turn.acted().accepted()).isFalse();
  }

  @Test
  void a_hold_that_is_news_is_looked_at_again_soon_and_then_less_often() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    world.pod("etcd-2").held = true;

    Duration first = loop(world, Loop.Recorded.WRITTEN).turn().again();
    Duration later = loop(world, Loop.Recorded.UNCHANGED).turn().again();

    assertThat(first).isEqualTo(Duration.ofMillis(100));
    assertThat(later).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void the_less_there_is_to_expect_the_later_the_next_look() {
    ScriptedWorld world = ScriptedWorld.adopted(3);
    Duration done = world.turn().again();
    world.template("etcd:3.6.16").turn();
    Duration progress = world.turn().again();
    world.replace("etcd-2").up("etcd-2").silent("etcd-0");
    Duration waits = loop(world, Loop.Recorded.WRITTEN).turn().again();
    ScriptedWorld queued = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    queued.fleet = new Fleet(1, List.of("db/other"));

    assertThat(progress).isLessThan(waits);
    assertThat(waits).isLessThan(done);
    assertThat(queued.turn().again()).isEqualTo(done);
  }

  @Test
  void tries_are_counted_for_what_is_tried_and_not_for_the_object() {
    ScriptedWorld world = ScriptedWorld.settled(3);
    world.update = Workload.Update.ON_DELETE;
    world.turns(4).template("etcd:3.6.16");
    var refused = new Loop.Acted(false, "429 the budget is used up");
    answering(world, refused).turn();
    Loop.Turn evicted = answering(world, refused).turn();
    world.down("etcd-2");
    Loop.Turn recreated = answering(world, refused).turn();

    assertThat(evicted.again()).isEqualTo(Duration.ofSeconds(1));
    assertThat(recreated.again()).isEqualTo(Duration.ofMillis(500));
  }

  /** The real loop on this world, but every step ends like this. */
  private static Loop answering(ScriptedWorld world, Loop.Acted acted) {
    return new Loop(
        new Planner(_ -> world.policy),
        world::snapshot,
        (_, report) -> {
          world.memory = report.memory();
          return Loop.Recorded.WRITTEN;
        },
        (_, _) -> acted);
  }
}
