package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.PROGRESS;

import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Floor;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.UpgradeRules;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The way back under strategy Partition: frozen, every member that has the refused revision is made
 * anew, and comes back on the one the set started from. The template is not written, so that
 * whoever owns it is not contradicted.
 */
record Withdrawal(Rollout rollout, Refused refused) {

  Decision next() {
    Workload workload = rollout.workload();
    Optional<Objection> closed = floor().objection();
    if (closed.isPresent() && (anyoneToTakeBack() || comesBackOld())) {
      return Decision.because(List.of(closed.get()));
    }
    if (workload.partition() != Workload.FROZEN) {
      return new Perform(
          new Step.Freeze(
              rollout.component().name(),
              Fence.of(workload),
              (refused.version().isEmpty() ? refused.revision() : refused.version())
                  + " is withdrawn"));
    }
    Optional<Pod> target =
        rollout.course().outdated().stream().min(MemberOrder.brokenFirst(rollout.component()));
    return tryAgain()
        .or(() -> new Obligations(rollout).aroundMembers(target))
        .orElseGet(() -> target.map(this::takeBack).orElseGet(this::stay));
  }

  private boolean anyoneToTakeBack() {
    return !rollout.course().outdated().isEmpty();
  }

  /** Once frozen, one that is missing now would come back at what it may not start from. */
  private boolean comesBackOld() {
    Workload workload = rollout.workload();
    return !workload.frozen()
        && rollout.component().podsInRange(workload).size() < workload.replicas();
  }

  /** Asked once more to go back, a member that is stuck on its way is made anew. */
  private Optional<Decision> tryAgain() {
    return rollout.course().arrived().stream()
        .filter(rollout.course()::isTriedAgain)
        .findFirst()
        .map(p -> rollout.recreate(p, "back, tried again"))
        .map(step -> {
          List<Objection> objections = rollout.objections(step);
          return objections.isEmpty() ? new Perform(step) : Decision.because(objections);
        });
  }

  private Decision takeBack(Pod target) {
    if (isAboutToBeComplete()) {
      return new Wait(
          List.of(
              Reasons.WORKLOAD_IS_OBSERVED.objection(
                  rollout.workload().name(),
                  "every pod is new and ready: its controller is about to call the roll-out complete",
                  "wait for the StatefulSet controller",
                  PROGRESS)));
    }
    String good = rollout.memory().lastGood().map(Good::version).orElse("");
    var step = rollout.recreate(target, "back to " + (good.isEmpty() ? "the last good" : good));
    List<Objection> objections = rollout.objections(step);
    if (objections.isEmpty()) {
      return new Preparation(rollout).prepared(step, target);
    }
    var leadership = new Leadership(rollout);
    return leadership.isAllThatHolds(objections)
        ? leadership.moveOff(target)
        : Decision.because(objections);
  }

  /** From then on nobody comes back old any more, and this one would be restarted in vain. */
  private boolean isAboutToBeComplete() {
    Workload workload = rollout.workload();
    List<Pod> pods = rollout.component().podList();
    return pods.size() == workload.replicas()
        && pods.stream().allMatch(p -> p.ready() && p.revision().equals(workload.updateRevision()));
  }

  /** Everyone is back: the refused revision waits for a person, or for another template. */
  private Decision stay() {
    // Over once everyone was seen to be back: what happens to members later is another matter.
    var all =
        new ArrayList<Objection>(
            rollout.memory().target().isPresent() ? rollout.unfinished() : List.of());
    if (all.isEmpty()) {
      all.add(UpgradeRules.refusal(rollout.snapshot(), rollout.workload().name(), refused));
    }
    return Decision.because(all);
  }

  private Floor floor() {
    return new Floor(rollout.snapshot(), rollout.component(), rollout.policy());
  }
}
