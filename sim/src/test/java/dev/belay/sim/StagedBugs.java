package dev.belay.sim;

import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.plan.Step;
import dev.belay.sim.operator.Seams;

/** Bugs that bite too rarely to be met by chance: each has a scenario of its own that shows it. */
enum StagedBugs {
  LATENT_RELEASES_ARE_LEFT(
      Seams.NONE.withActor((world, actor) ->
          (basis, step) ->
              step instanceof Step.Retract ? new Acted(true, "not done") : actor.act(basis, step)),
      "S3",
      "a-latent-release-is-taken-back.txt"),
  APPROVALS_ARE_NEVER_USED_UP(
      Lapses.neverUsedUp(), "S11", "an-approval-is-used-up-with-its-roll-out.txt");

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

  /** A file of sim/scenarios, which is good without the bug. */
  String scenario() {
    return scenario;
  }
}
