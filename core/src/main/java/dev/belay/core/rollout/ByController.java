package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.FAILURE;
import static dev.belay.core.state.Objection.Weight.PROGRESS;

import dev.belay.core.model.Action.Moment;
import dev.belay.core.model.Among;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.PodRules;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.rules.UpgradeRules;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Strategy Native: the workload's own controller rolls it in its own way, for members that are
 * nobody in particular. Belay decides when it may begin, and whether it went well.
 */
record ByController(Rollout rollout) {

  Decision next() {
    return rollout.workload().frozen() ? begin() : watch();
  }

  private Decision begin() {
    Optional<Decision> paused = new Pause(rollout.snapshot(), rollout.component()).held();
    if (paused.isPresent()) {
      return paused.get();
    }
    var step = new Step.LetRoll(rollout.component().name(), Fence.of(rollout.workload()));
    List<Objection> objections = rollout.objections(step);
    if (!objections.isEmpty()) {
      return Decision.because(objections);
    }
    Pod first = rollout.course().outdated().getFirst();
    return new Preparation(rollout)
        .beforeComponent(first)
        .or(() -> new Preparation(rollout).closing(first))
        .or(() -> new Obligations(rollout).due(Moment.BEFORE_COMPONENT, Optional.empty()))
        .orElseGet(() -> new Perform(step));
  }

  /** It rolls: whoever is new has to come up, and nobody may have said stop meanwhile. */
  private Decision watch() {
    if (!rollout.course().known()) {
      return freeze("it was let through past the guard");
    }
    var step = new Step.LetRoll(rollout.component().name(), Fence.of(rollout.workload()));
    boolean stopped =
        Among.any(
            rollout.objections(step),
            o ->
                o.is(UpgradeRules.NOT_PAUSED)
                    || o.is(PodRules.POD_IS_NOT_HELD)
                    || o.is(UpgradeRules.REVISION_IS_NOT_REFUSED));
    if (stopped) {
      return freeze("it was stopped");
    }
    Optional<Decision> again = rollout.tryAgain();
    if (again.isPresent()) {
      return again.get();
    }
    List<Objection> failures = failures();
    if (!failures.isEmpty()) {
      return Decision.because(failures);
    }
    return stuckBelow()
        .filter(p -> rollout.objections(rollout.recreate(p, "")).isEmpty())
        .<Decision>map(
            p -> new Perform(rollout.recreate(p, "not ready, and nobody else replaces it")))
        .orElseGet(this::rolling);
  }

  private List<Objection> failures() {
    var failures = new ArrayList<Objection>();
    for (Pod pod : rollout.course().arrived()) {
      UpdatedMembers.serving(rollout.snapshot(), rollout.component(), pod)
          .filter(o -> o.weight() == FAILURE)
          .ifPresent(failures::add);
    }
    if (failures.isEmpty()) {
      gaveUp().ifPresent(failures::add);
    }
    return failures;
  }

  /** The workload's own controller says that it does not go on. */
  Optional<Objection> gaveUp() {
    Workload workload = rollout.workload();
    return workload.stalled().isEmpty()
        ? Optional.empty()
        : Optional.of(
            Reasons.CONTROLLER_ROLLS.objection(
                workload.name(),
                "ProgressDeadlineExceeded: " + workload.stalled(),
                "correct or revert the template",
                FAILURE));
  }

  /** OrderedReady stops at every pod that is not ready: nobody else would ever replace it. */
  private Optional<Pod> stuckBelow() {
    Workload workload = rollout.workload();
    boolean ordered =
        workload.kind() == Workload.Kind.STATEFUL_SET
            && workload.order() == Workload.Order.ORDERED_READY;
    return Among.first(rollout.course().outdated(), p -> ordered && !p.ready() && !p.terminating());
  }

  private Decision rolling() {
    long there = Among.count(rollout.course().arrived(), Pod::ready);
    return new Wait(
        List.of(
            Reasons.CONTROLLER_ROLLS.objection(
                rollout.workload().name(),
                there + " of " + rollout.workload().replicas() + " are new and ready",
                "wait for the " + rollout.workload().kind() + " controller",
                PROGRESS)));
  }

  /** Nobody else is to follow for now. */
  Optional<Decision> stop(String why) {
    boolean rolls =
        !rollout.workload().frozen()
            && rollout.workload().observed()
            && !rollout.course().outdated().isEmpty();
    return rolls ? Optional.of(freeze(why)) : Optional.empty();
  }

  private Decision freeze(String why) {
    return new Perform(
        new Step.Freeze(rollout.component().name(), Fence.of(rollout.workload()), why));
  }
}
