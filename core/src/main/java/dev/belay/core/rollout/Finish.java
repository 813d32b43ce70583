package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.FAILURE;
import static dev.belay.core.state.Objection.Weight.PROGRESS;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Component;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.MemberState;
import dev.belay.core.rules.PodRules;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Done;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The end of a rollout of one component: checks, actions, and the partition at rest. */
record Finish(Rollout rollout) {

  /** No pod is outdated: done when every member serves and the partition rests. */
  Decision next() {
    if (rollout.memory().target().isPresent()) {
      Optional<Decision> again =
          rollout.tryAgain().or(() -> new Obligations(rollout).aroundMembers(Optional.empty()));
      if (again.isPresent()) {
        return again.get();
      }
      List<Objection> waiting =
          Stream.concat(new ByController(rollout).gaveUp().stream(), rollout.unfinished().stream())
              .toList();
      if (!waiting.isEmpty()) {
        return Decision.because(waiting);
      }
      Optional<Decision> after = new Obligations(rollout).afterComponent();
      if (after.isPresent()) {
        return after.get();
      }
    }
    Decision rest = rest();
    if (!(rest instanceof Done)) {
      return rest;
    }
    List<Objection> waiting = rollout.course().isUnproven() ? unserved() : List.of();
    if (waiting.isEmpty()) {
      waiting = rollout.mismatch().stream().toList();
    }
    return waiting.isEmpty() ? rest : Decision.because(waiting);
  }

  /** The pods that are missing, and the members that do not serve. */
  private List<Objection> unserved() {
    Component component = rollout.component();
    var waiting = new ArrayList<Objection>();
    PodRules.complete(PodRules.EVERY_POD_EXISTS, component, rollout.workload(), Optional.empty())
        .ifPresent(waiting::add);
    for (Pod pod : component.podList()) {
      if (!MemberState.isUp(component, pod)) {
        // Outside of a rollout, a member that is down has not failed a revision.
        UpdatedMembers.serving(rollout.snapshot(), component, pod)
            .map(o -> o.weight() == FAILURE ? o.weighing(WAIT) : o)
            .ifPresent(waiting::add);
      }
    }
    return waiting;
  }

  private Decision rest() {
    boolean parked = rollout.component().guard().is(Guarding.PARKED);
    int resting = parked ? Workload.FROZEN : 0;
    if (rollout.workload().partition() == resting
        || rollout.component().guard().is(Guarding.ON_DELETE)) {
      return new Done();
    }
    Optional<Decision> paused = new Pause(rollout.snapshot(), rollout.component()).held();
    if (paused.isPresent()) {
      return paused.get();
    }
    if (!rollout.workload().currentRevision().equals(rollout.workload().updateRevision())) {
      // No pod in sight is outdated, but not all that will be are in sight.
      List<Objection> waiting = rollout.unfinished();
      if (!waiting.isEmpty()) {
        return Decision.because(waiting);
      }
      if (rollout.workload().replicas() == 0) {
        return new Done();
      }
      // Raised before the controller calls the roll-out complete, a lost pod would come back old.
      if (parked) {
        return new Wait(
            List.of(
                Reasons.WORKLOAD_IS_OBSERVED.objection(
                    rollout.workload().name(),
                    "its controller has not yet called the roll-out complete",
                    "wait for the StatefulSet controller",
                    PROGRESS)));
      }
    }
    return new Perform(
        new Step.Rest(rollout.component().name(), Fence.of(rollout.workload()), resting));
  }
}
