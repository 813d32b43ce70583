package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.PROGRESS;

import dev.belay.core.plan.Decision.Wait;
import dev.belay.core.snapshot.Among;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Spec;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Strategy OnDelete: Belay chooses who goes next, whoever matters least first. The set makes every
 * pod that goes away anew at the newest revision.
 */
record ByEviction(Rollout rollout) {

  Decision next() {
    Pod target = next(rollout.component(), rollout.course().outdated()).orElseThrow();
    Optional<Decision> first =
        rollout.tryAgain().or(() -> rollout.obligations().aroundMembers(Optional.of(target)));
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
      return rollout.prepared(step, target);
    }
    var leadership = new Leadership(rollout);
    return leadership.isAllThatHolds(objections)
        ? rollout
            .beforeComponent(target)
            .or(() ->
                rollout.approval(
                    Spec.Approval.BEFORE_LEADER, target, "leader", "leadership moves off it"))
            .orElseGet(() -> leadership.moveOff(target))
        : Decision.because(objections);
  }

  /** Whoever is held is passed by; when nobody else is left, it is said. */
  static Optional<Pod> next(Component component, List<Pod> outdated) {
    List<Pod> order = outdated.stream().sorted(leastFirst(component)).toList();
    return Among.first(order, p -> !p.terminating() && !p.held()).or(() -> Among.first(order));
  }

  /** Asked politely while it serves; one that is out already is in nobody's budget. */
  private Step takeDown(Pod pod) {
    return pod.ready()
        ? new Step.Evict(rollout.component().name(), Rollout.fence(pod), pod.name(), pod.uid())
        : rollout.recreate(pod, "it is out already");
  }

  /**
   * Broken ones first, for the others would wait for them; then those without a vote, the leader
   * last; among equals from the top.
   */
  static Comparator<Pod> leastFirst(Component component) {
    return Comparator.<Pod>comparingInt(p -> weight(component, p))
        .thenComparing(p -> Leadership.leads(component, p))
        .thenComparing(Comparator.comparingInt(Pod::ordinal).reversed());
  }

  private static int weight(Component component, Pod pod) {
    if (!pod.ready() || knownUnwell(component, pod)) {
      return 0;
    }
    // A leader that does not answer may do so in a moment: its place is not taken for that.
    if (Leadership.leads(component, pod)) {
      return 3;
    }
    if (!GroupRules.memberTrouble(component, pod).isEmpty()) {
      return 0;
    }
    boolean knownNotToVote =
        component
            .topology()
            .asOptional()
            .flatMap(
                t -> component.memberOf(pod).asOptional().map(m -> t.groupsOf(m.id()).isEmpty()))
            .orElse(false);
    return knownNotToVote ? 1 : 2;
  }

  private static boolean knownUnwell(Component component, Pod pod) {
    return component
        .memberOf(pod)
        .flatMap(Member::health)
        .asOptional()
        .filter(h -> !h.good())
        .isPresent();
  }
}
