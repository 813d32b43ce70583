package dev.belay.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.loop.Loop;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Reporter;
import dev.belay.core.rules.GroupRules;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Objection;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.RecordedStep.StepData;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.Optional;
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
    RecordedStep first = world.memory.step().orElseThrow();

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
        .extracting(Objection::reason)
        .isEqualTo(Reasons.RECORDED_STEP_SETTLES);
    world.pass(Duration.ofSeconds(11));
    assertThat(world.turn().decision().objections())
        .first()
        .extracting(Objection::reason)
        .isEqualTo(GroupRules.EVERY_GROUP_SURVIVES);
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

  @Test
  void an_eviction_no_longer_wanted_is_revoked_by_moving_its_pod() {
    ScriptedWorld world = ScriptedWorld.settled(3);
    world.update = Workload.Update.ON_DELETE;
    world.turns(4).template("etcd:3.6.16");
    recordAndDie(world);
    assertThat(world.memory.step().orElseThrow().what()).isEqualTo("evict etcd-2");
    world.down("etcd-0");

    assertThat(world.turn().decision())
        .isInstanceOfSatisfying(
            Decision.Perform.class,
            p -> {
              assertThat(p.step()).isInstanceOf(Step.Revoke.class);
              assertThat(p.step().fence().name()).isEqualTo("etcd-2");
            });
  }

  @Test
  void a_revocation_is_carried_out_in_the_component_it_is_about() {
    ScriptedWorld world = ScriptedWorld.settled(3);
    ScriptedWorld second = world.and("pd", 3);
    world.turns(5);
    second.template("pd:2.0");
    world.turn();
    world.pass(Duration.ofSeconds(6));
    recordAndDie(world);
    assertThat(world.memory.step().orElseThrow().what()).isEqualTo("release pd-2");
    second.down("pd-0");

    assertThat(world.turn().decision())
        .isInstanceOfSatisfying(
            Decision.Perform.class,
            p -> {
              assertThat(p.step()).isInstanceOf(Step.Revoke.class);
              assertThat(p.step().component()).isEqualTo("pd");
            });
  }

  @Test
  void so_is_the_revocation_of_an_eviction() {
    ScriptedWorld world = ScriptedWorld.settled(3);
    ScriptedWorld second = world.and("pd", 3);
    second.update = Workload.Update.ON_DELETE;
    world.turns(5);
    second.template("pd:2.0");
    world.turn();
    world.pass(Duration.ofSeconds(6));
    recordAndDie(world);
    assertThat(world.memory.step().orElseThrow().what()).isEqualTo("evict pd-2");
    second.down("pd-0");

    assertThat(world.turn().decision())
        .isInstanceOfSatisfying(
            Decision.Perform.class,
            p -> {
              assertThat(p.step()).isInstanceOf(Step.Revoke.class);
              assertThat(p.step().component()).isEqualTo("pd");
            });
  }

  /** Two systems whose leaders have the same id and are in the same term. */
  private static ScriptedWorld alike(ScriptedWorld world) {
    ScriptedWorld second = world.and("pd", 3);
    world.turns(5);
    world.leads("etcd-2");
    second.leads("pd-2");
    world.template("etcd:3.6.16");
    return second;
  }

  @Test
  void a_transfer_is_dead_when_its_own_leader_has_moved_whoever_leads_elsewhere() {
    ScriptedWorld world = ScriptedWorld.settled(3);
    alike(world);
    recordAndDie(world);
    assertThat(world.memory.step().orElseThrow().what()).startsWith("move leadership from etcd-2");
    world.leads("etcd-1");

    assertThat(world.turn().decision())
        .isInstanceOfSatisfying(
            Decision.Perform.class, p -> assertThat(p.step().what()).isEqualTo("release etcd-2"));
  }

  @Test
  void a_transfer_belongs_to_its_component_also_when_its_pod_is_out_of_sight() {
    ScriptedWorld world = ScriptedWorld.settled(3);
    alike(world);
    recordAndDie(world);
    world.pods.remove(2);
    assertThat(first(world)).isEqualTo("RecordedStepSettles");

    world.leads("etcd-1");
    assertThat(first(world)).isEqualTo("EveryPodExists");
  }

  @Test
  void a_transfer_of_a_component_that_was_renamed_may_be_of_any() {
    ScriptedWorld world = ScriptedWorld.settled(3);
    alike(world);
    recordAndDie(world);
    RecordedStep step = world.memory.step().orElseThrow();
    var data = step.step();
    var renamed =
        new StepData(data.kind(), "before", data.object(), data.fence(), data.arguments());
    world.memory =
        world.memory.withStep(
            Optional.of(
                new RecordedStep(step.id(), renamed, step.what(), step.since(), step.attempts())));
    world.down("etcd-0");

    assertThat(first(world)).isEqualTo("RecordedStepSettles");
  }

  @Test
  void a_command_recorded_is_waited_out() {
    ScriptedWorld world = told();
    world.down("etcd-0");

    assertThat(first(world)).isEqualTo("RecordedStepSettles");
    world.pass(Duration.ofSeconds(11));
    assertThat(first(world)).isEqualTo("EveryGroupSurvives");
  }

  @Test
  void a_command_is_waited_out_while_its_member_is_in_the_same_term() {
    ScriptedWorld world = told();
    world.system.terms.put(0, "");
    world.down("etcd-1");

    assertThat(first(world)).isEqualTo("RecordedStepSettles");
  }

  @Test
  void a_command_whose_term_is_over_is_dropped_by_its_driver_and_not_waited_for() {
    ScriptedWorld world = told();
    world.system.terms.put(0, "another");
    world.down("etcd-1");

    assertThat(first(world)).isEqualTo("EveryGroupSurvives");
  }

  /** A command to the member m0 was recorded, and nobody knows whether it was sent. */
  private static ScriptedWorld told() {
    ScriptedWorld world = ScriptedWorld.adopted(3);
    world.policy.prepares = "set etcd-2 aside";
    world.template("etcd:3.6.16");
    recordAndDie(world);
    assertThat(world.memory.step().orElseThrow().what()).startsWith("set etcd-2 aside");
    return world;
  }

  @Test
  void an_action_recorded_is_waited_out() {
    ScriptedWorld world = asked();
    world.down("etcd-0");

    assertThat(first(world)).isEqualTo("RecordedStepSettles");
    world.pass(Duration.ofSeconds(11));
    assertThat(first(world)).isEqualTo("EveryGroupSurvives");
  }

  @Test
  void an_action_that_was_answered_cannot_come_any_more() {
    ScriptedWorld world = asked();
    RecordedStep step = world.memory.step().orElseThrow();
    world.sent.send(((Fence.Request) step.fence()).id(), "POST /drain", false);
    world.down("etcd-0");

    assertThat(first(world)).isEqualTo("EveryGroupSurvives");
  }

  @Test
  void the_answer_to_another_action_says_nothing_of_it() {
    ScriptedWorld world = asked();
    world.sent.send("another", "POST /drain", false);
    world.down("etcd-0");

    assertThat(first(world)).isEqualTo("RecordedStepSettles");
  }

  /** A drain was recorded, and nobody knows whether it was sent. */
  private static ScriptedWorld asked() {
    ScriptedWorld world = ScriptedWorld.adopted(3);
    Commands.obey(world, "action BEFORE_MEMBER POST_/drain".split(" "));
    world.template("etcd:3.6.16");
    world.sent.deaf = true;
    while (world.memory.step().isEmpty()) {
      recordAndDie(world);
    }
    world.sent.deaf = false;
    assertThat(world.memory.step().orElseThrow().what()).contains("POST /drain");
    return world;
  }

  @Test
  void a_migration_recorded_after_an_earlier_one_was_hindered_may_still_begin() {
    ScriptedWorld world = ScriptedWorld.adopted(3);
    queue(world, "migrations");
    queue(world, "migration 3.6.0 EXPAND reversible add column");
    queue(world, "hindered too many connections");
    world.pass(Duration.ofSeconds(6));
    world.template("etcd:3.6.16");
    recordAndDie(world);
    assertThat(world.memory.step().orElseThrow().what()).startsWith("migrate 3.6.0");
    world.silent("etcd-0");

    assertThat(first(world)).isEqualTo("RecordedStepSettles");
  }

  private static void queue(ScriptedWorld world, String line) {
    assertThat(world.queue.command(line.split(" "), world.now)).isTrue();
  }

  /** The rule that is in the way. */
  private static String first(ScriptedWorld world) {
    return world.turn().decision().objections().getFirst().reason().name();
  }
}
