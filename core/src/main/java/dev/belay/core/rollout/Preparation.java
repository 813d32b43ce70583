package dev.belay.core.rollout;

import dev.belay.core.model.Action.Moment;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.rules.Approval;
import dev.belay.core.rules.Floor;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Step;
import java.util.Optional;

/**
 * What comes before a member is taken down to which no rule objects: approvals, commands, actions.
 */
record Preparation(Rollout rollout) {

  /** No rule objects to taking this member down: what has to come before it comes first. */
  Decision prepared(Step step, Pod target) {
    return beforeComponent(target)
        .or(() -> closing(target))
        .or(() -> new Obligations(rollout).due(Moment.BEFORE_COMPONENT, Optional.empty()))
        .or(() ->
            rollout
                .policy()
                .prepare(rollout.snapshot(), rollout.component(), target)
                .map(c -> rollout.tell(c, false)))
        .or(() -> new Obligations(rollout).due(Moment.BEFORE_MEMBER, Optional.of(target)))
        .orElseGet(() -> new Perform(step));
  }

  /** Before the first member that Belay takes; one that is new by itself was not agreed to. */
  Optional<Decision> beforeComponent(Pod target) {
    String which = rollout.course().arrived().isEmpty() ? "first" : "next";
    return rollout.course().withdrawing() || rollout.course().goesBack()
        ? Optional.empty()
        : approval(
            Spec.Approval.BEFORE_COMPONENT,
            target,
            "component",
            "it is the " + which + " of its component");
  }

  Optional<Decision> closing(Pod target) {
    var floor = new Floor(rollout.snapshot(), rollout.component(), rollout.policy());
    return floor
        .closedBy(target)
        .or(floor::closedUnasked)
        .filter(_ -> !rollout.course().withdrawing())
        .flatMap(
            why -> approval(Spec.Approval.BEFORE_IRREVERSIBLE, target, Floor.IRREVERSIBLE, why));
  }

  /** Holds until a person agreed to exactly this. */
  Optional<Decision> approval(Spec.Approval asked, Pod target, String step, String why) {
    Approval approval =
        Approval.of(rollout.snapshot(), rollout.component(), rollout.workload(), step);
    boolean needed = rollout.snapshot().spec().upgrade().approval() == asked && !approval.given();
    return needed
        ? Optional.of(approval.hold(target.name(), "the next step needs approval: " + why, ""))
        : Optional.empty();
  }
}
