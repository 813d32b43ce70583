package dev.belay.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.loop.Loop;
import dev.belay.core.report.Reporter;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Snapshot;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens to a step that was written down but perhaps not carried out. */
class RecordedStepsTest {

  /** Records the next step and dies before acting. */
  private static void recordAndDie(ScriptedWorld world) {
    var planner = new Planner(_ -> world.policy);
    Snapshot snapshot = world.snapshot();
    world.memory = new Reporter(planner).report(snapshot, planner.decide(snapshot)).memory();
  }

  @Test
  void a_step_wanted_again_keeps_its_id_and_counts_the_attempt() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    recordAndDie(world);
    Memory.RecordedStep first = world.memory.step().orElseThrow();

    Loop.Turn turn = world.turn();

    assertThat(turn.decision()).isInstanceOf(Decision.Perform.class);
    assertThat(world.memory.step().orElseThrow().id()).isEqualTo(first.id());
    assertThat(world.memory.step().orElseThrow().attempts()).isEqualTo(2);
  }

  @Test
  void a_step_no_longer_wanted_is_revoked_before_anything_else() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    recordAndDie(world);
    world.down("etcd-0");

    assertThat(world.turn().decision())
        .isInstanceOfSatisfying(
            Decision.Perform.class, p -> assertThat(p.step()).isInstanceOf(Step.Revoke.class));
    assertThat(world.turn().decision()).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void a_revocation_cut_short_is_repeated() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    recordAndDie(world);
    world.down("etcd-0");
    recordAndDie(world);
    String first = world.memory.step().orElseThrow().what();
    assertThat(first).startsWith("revoke");
    world.up("etcd-0");

    assertThat(world.turn().decision())
        .isInstanceOfSatisfying(
            Decision.Perform.class, p -> assertThat(p.step()).isInstanceOf(Step.Revoke.class));
    assertThat(world.memory.step().orElseThrow().what())
        .as("it is the same one, not the revocation of a revocation")
        .isEqualTo(first);
  }

  @Test
  void a_step_whose_object_has_moved_on_is_dead_and_forgotten() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    recordAndDie(world);
    world.setVersion++;
    world.down("etcd-0");

    assertThat(world.turn().decision()).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void a_recorded_transfer_is_waited_out_because_it_cannot_be_revoked() {
    ScriptedWorld world = ScriptedWorld.adopted(3).leads("etcd-2").template("etcd:3.6.16");
    recordAndDie(world);
    assertThat(world.memory.step().orElseThrow().what()).startsWith("move leadership");
    world.down("etcd-0");

    assertThat(world.turn().decision().objections())
        .first()
        .extracting(Objection::rule)
        .isEqualTo("RecordedStepSettles");
    world.pass(Duration.ofSeconds(11));
    assertThat(world.turn().decision().objections())
        .first()
        .extracting(Objection::rule)
        .isEqualTo("EveryGroupSurvives");
  }

  @Test
  void a_new_owner_settles_what_the_old_one_recorded() {
    ScriptedWorld world = ScriptedWorld.adopted(3).template("etcd:3.6.16");
    recordAndDie(world);
    world.self = new Snapshot.Self("belay", "two", world.self.account());
    world.down("etcd-0");

    assertThat(world.turn().decision())
        .isInstanceOfSatisfying(
            Decision.Perform.class, p -> assertThat(p.step()).isInstanceOf(Step.Claim.class));
    assertThat(world.memory.owner().orElseThrow().epoch()).isEqualTo(2);
    assertThat(world.turn().decision())
        .isInstanceOfSatisfying(
            Decision.Perform.class, p -> assertThat(p.step()).isInstanceOf(Step.Revoke.class));
  }
}
