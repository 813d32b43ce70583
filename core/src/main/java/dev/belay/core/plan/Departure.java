package dev.belay.core.plan;

import dev.belay.core.plan.Decision.Done;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Decision.Wait;
import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Workload;
import java.util.List;
import java.util.Optional;

/**
 * The StatefulCluster is being deleted, which restarts nothing: what was done for the upgrade is
 * taken back, a parked and settled workload is un-parked, all else stays as it is.
 */
record Departure(Snapshot snapshot, List<Rollout> rollouts) {

  Decision next() {
    List<Rollout> adopted = rollouts.stream().filter(r -> r.memory().adopted()).toList();
    return adopted.stream()
        .flatMap(r -> mended(r).stream())
        .findFirst()
        .or(() ->
            adopted.stream().flatMap(r -> r.obligations().takeBackToLeave().stream()).findFirst())
        .or(() -> adopted.stream().flatMap(r -> unparked(r).stream()).findFirst())
        .orElseGet(Done::new);
  }

  private Optional<Decision> mended(Rollout rollout) {
    return rollout
        .policy()
        .tend(snapshot, rollout.component(), Optional.empty())
        .map(command -> rollout.tell(command, true));
  }

  private Optional<Decision> unparked(Rollout rollout) {
    Workload workload = rollout.workload();
    if (!workload.frozen() || rollout.component().guard().is(Guarding.POLICY)) {
      return Optional.empty();
    }
    List<Objection> unfit = Fitness.objections(snapshot, rollout.component(), workload);
    if (unfit.stream().anyMatch(o -> !o.weight().needsPerson())) {
      return Optional.of(new Wait(unfit));
    }
    return settled(rollout)
        ? Optional.of(
            new Perform(new Step.Rest(rollout.component().name(), Rollout.fence(workload), 0)))
        : Optional.empty();
  }

  private static boolean settled(Rollout rollout) {
    Workload workload = rollout.workload();
    return workload.currentRevision().equals(workload.updateRevision())
        && PodRules.complete(rollout.component(), workload, Optional.empty()).isEmpty()
        && rollout.component().podList().stream()
            .allMatch(p -> p.revision().equals(workload.updateRevision()));
  }
}
