package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.PROGRESS;

import dev.belay.core.model.Among;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Floor;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Strategy Partition: from frozen to rest, highest ordinal first. */
record ByPartition(Rollout rollout) {

  /** How long the controller may take to act on a release before it counts as latent. */
  static final Duration LATENCY = Duration.ofSeconds(2);

  Decision next() {
    List<Pod> outdated = rollout.course().outdated();
    Pod target = outdated.getFirst();
    int index = workload().index(target.ordinal());
    List<Pod> released =
        Among.those(outdated, p -> workload().index(p.ordinal()) >= workload().partition());
    if (released.size() > 1 || (!released.isEmpty() && !rollout.course().known())) {
      // Frozen, one that is new already and gets lost would come back old.
      return closed()
          ? new Perform(retract(target, index + 1))
          : freeze(released.size() + " members were released at once, past the guard");
    }
    Step.Release release = release(target);
    List<Objection> objections = rollout.objections(release);
    if (!released.isEmpty()) {
      return awaitReplacement(target, index, objections);
    }
    Optional<Decision> again = rollout.tryAgain();
    if (again.isPresent()) {
      return again.get();
    }
    if (freezes()) {
      return freeze("it was aborted");
    }
    Optional<Decision> around = new Obligations(rollout).aroundMembers(Optional.of(target));
    if (around.isPresent()) {
      return around.get();
    }
    if (objections.isEmpty()) {
      return new Preparation(rollout).prepared(release, target);
    }
    var leadership = new Leadership(rollout);
    if (leadership.isAllThatHolds(objections)) {
      return new Preparation(rollout)
          .beforeComponent(target)
          .or(() ->
              new Preparation(rollout)
                  .approval(
                      Spec.Approval.BEFORE_LEADER, target, "leader", "leadership moves off it"))
          .orElseGet(() -> leadership.moveOff(target));
    }
    return new BrokenBelow(rollout).instead(outdated, objections);
  }

  /**
   * Aborted, it is frozen; unless an updated member that is lost could not start at the revision it
   * would then come back on.
   */
  private boolean freezes() {
    return rollout.aborted() && !workload().frozen() && !closed();
  }

  /** Whether somebody is new, or missing, who may not come back old. */
  private boolean closed() {
    boolean somebody =
        !rollout.course().arrived().isEmpty()
            || rollout.component().podsInRange(workload()).size() < workload().replicas();
    return somebody
        && new Floor(rollout.snapshot(), rollout.component(), rollout.policy())
            .belowFloor()
            .isPresent();
  }

  private Decision freeze(String why) {
    return new Perform(new Step.Freeze(rollout.component().name(), Fence.of(workload()), why));
  }

  private Step.Release release(Pod pod) {
    return new Step.Release(
        rollout.component().name(),
        Fence.of(workload()),
        workload().index(pod.ordinal()),
        pod.name());
  }

  private Step.Retract retract(Pod pod, int partition) {
    return new Step.Retract(
        rollout.component().name(), Fence.of(workload()), partition, pod.name());
  }

  /**
   * A released pod that is still old: replaced soon, taken back, or deleted where nobody else will.
   */
  private Decision awaitReplacement(Pod target, int index, List<Objection> objections) {
    boolean fresh =
        rollout
            .snapshot()
            .memory()
            .step()
            .filter(s -> s.object().equals(target.name()))
            .filter(s -> rollout.snapshot().at().isBefore(s.since().plus(LATENCY)))
            .isPresent();
    if (target.terminating() || fresh) {
      return new Wait(
          List.of(
              Reasons.RELEASE_TAKES_EFFECT.objection(
                  target.name(),
                  target.terminating() ? "is terminating" : "is released, not yet replaced",
                  "wait for the StatefulSet controller",
                  PROGRESS)));
    }
    if (!objections.isEmpty()) {
      boolean first = rollout.course().arrived().isEmpty();
      boolean all = (first && !closed()) || freezes();
      return new Perform(retract(target, all ? Workload.FROZEN : index + 1));
    }
    // OrderedReady stops at any unready pod, Parallel at an unavailable one above: nobody else
    // will.
    if (!target.ready()) {
      return new Perform(rollout.recreate(target, "released, and nobody else replaces it"));
    }
    return new Wait(
        List.of(
            Reasons.RELEASE_TAKES_EFFECT.objection(
                target.name(),
                "is released, but the controller has not replaced it",
                "look at the StatefulSet controller",
                Objection.Weight.WAIT)));
  }

  /**
   * A release that the controller has not seen can strike when it comes back: it is taken back
   * while that can still be done, although nothing else may be decided on such a set.
   */
  Optional<Decision> retractUnseen() {
    String wanted = rollout.memory().target().map(Target::revision).orElse("");
    Optional<Pod> released =
        Among.first(reached(), p -> !p.revision().equals(wanted) && !p.terminating());
    boolean late =
        rollout
            .snapshot()
            .memory()
            .step()
            .filter(s -> !rollout.snapshot().at().isBefore(s.since().plus(LATENCY)))
            .isPresent();
    if (wanted.isEmpty() || released.isEmpty() || !late) {
      return Optional.empty();
    }
    Pod pod = released.get();
    return rollout.objections(release(pod)).isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Perform(
                retract(pod, closed() ? workload().index(pod.ordinal()) + 1 : Workload.FROZEN)));
  }

  /** Takes back what was released and is still old; past the guard, all of it. */
  Optional<Decision> retractReleased() {
    List<Pod> released =
        Among.those(
            reached(), p -> !p.revision().equals(workload().updateRevision()) && !p.terminating());
    if (released.isEmpty() || !workload().observed()) {
      return Optional.empty();
    }
    Pod highest = released.getLast();
    return Optional.of(new Perform(retract(highest, workload().index(highest.ordinal()) + 1)));
  }

  private List<Pod> reached() {
    boolean rolls = workload().update() == Workload.Update.ROLLING_UPDATE;
    return Among.those(
        rollout.component().podsInRange(workload()),
        p -> rolls && workload().index(p.ordinal()) >= workload().partition());
  }

  private Workload workload() {
    return rollout.workload();
  }
}
