package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.PROGRESS;

import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Optional;

/**
 * Strategy OnDelete: Belay chooses who goes next, whoever matters least first. The set makes every
 * pod that goes away anew at the newest revision.
 */
record ByEviction(Rollout rollout) {

  Decision next() {
    Pod target =
        MemberOrder.leastFirst(rollout.component(), rollout.course().outdated()).orElseThrow();
    Optional<Decision> first =
        rollout.tryAgain().or(() -> new Obligations(rollout).aroundMembers(Optional.of(target)));
    if (first.isPresent()) {
      return first.get();
    }
    if (target.terminating()) {
      return new Wait(
          List.of(
              Reasons.RELEASE_TAKES_EFFECT.objection(
                  target.name(),
                  "is terminating",
                  "wait for the StatefulSet controller",
                  PROGRESS)));
    }
    Step step = takeDown(target);
    List<Objection> objections = rollout.objections(step);
    if (objections.isEmpty()) {
      return new Preparation(rollout).prepared(step, target);
    }
    var leadership = new Leadership(rollout);
    return leadership.isAllThatHolds(objections)
        ? new Preparation(rollout)
            .beforeComponent(target)
            .or(() ->
                new Preparation(rollout)
                    .approval(
                        Spec.Approval.BEFORE_LEADER, target, "leader", "leadership moves off it"))
            .orElseGet(() -> leadership.moveOff(target))
        : Decision.because(objections);
  }

  /** Asked politely while it serves; one that is out already is in nobody's budget. */
  private Step takeDown(Pod pod) {
    return pod.ready()
        ? new Step.Evict(rollout.component().name(), Fence.of(pod), pod.name(), pod.uid())
        : rollout.recreate(pod, "it is out already");
  }
}
