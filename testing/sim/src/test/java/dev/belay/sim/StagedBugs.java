package dev.belay.sim;

import dev.belay.core.decide.Planner;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.model.Pod;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Seams;
import java.util.List;
import java.util.function.Predicate;

/** Bugs that bite too rarely to be met by chance: each has a scenario of its own that shows it. */
enum StagedBugs {
  LATENT_RELEASES_ARE_LEFT(
      Seams.NONE.withActor((world, actor) ->
          (basis, step) ->
              step instanceof Step.Retract ? new Acted(true, "not done") : actor.act(basis, step)),
      "S3",
      "a-latent-release-is-taken-back.txt"),
  APPROVALS_ARE_NEVER_USED_UP(
      Lapses.neverUsedUp(), "S11", "an-approval-is-used-up-with-its-roll-out.txt"),
  A_GOING_POD_SPENDS_THE_RETRY(
      Seams.NONE.withPlanner(policies -> new Planner(policies, failing(Pod::terminating))),
      "L7",
      "retried-and-sent-back-again-and-again.txt"),
  STUCK_PODS_FORBID_EACH_OTHER_A_RETRY(
      Seams.NONE.withPlanner(policies -> new Planner(policies, failing(Pod::stuck))),
      "L7",
      "retried-and-sent-back-again-and-again.txt"),
  A_ROLLBACK_IS_HEEDED_AND_NOT_DONE(
      PlantedBugs.recording(Lapses::withoutRollback),
      "L5",
      "retried-and-sent-back-again-and-again.txt");

  private final Seams seams;
  private final String promise;
  private final String scenario;

  StagedBugs(Seams seams, String promise, String scenario) {
    this.seams = seams;
    this.promise = promise;
    this.scenario = scenario;
  }

  Seams seams() {
    return seams;
  }

  String promise() {
    return promise;
  }

  /** A file of testing/sim/scenarios, which is good without the bug. */
  String scenario() {
    return scenario;
  }

  /** The rules, but such an updated pod in trouble is a failure, whatever was asked for since. */
  private static List<Rule> failing(Predicate<Pod> such) {
    Reason reason = UpdatedMembers.UPDATED_MEMBERS_SERVE;
    return OtherRules.changed(
        reason,
        judge ->
            (s, component, step) ->
                new Course(s, component)
                    .arrived().stream()
                        .filter(p -> p.trouble().isPresent() && such.test(p))
                        .filter(p -> step.takesDown().filter(n -> !n.equals(p.name())).isPresent())
                        .map(
                            p -> reason.objection(p.name(), "failed", "correct it", Weight.FAILURE))
                        .findFirst()
                        .or(() -> judge.object(s, component, step)));
  }
}
