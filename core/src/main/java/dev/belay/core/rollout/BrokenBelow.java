package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.HUMAN;

import dev.belay.core.model.Pod;
import dev.belay.core.rules.Floor;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Objection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A broken member below the highest outdated one, which strategy Partition cannot reach. It is made
 * anew once at the revision the set gives it, where that one was good; then a person is needed.
 */
record BrokenBelow(Rollout rollout) {

  Decision instead(List<Pod> outdated, List<Objection> objections) {
    Optional<Pod> broken = outdated.stream().skip(1).filter(Pod::stuck).findFirst();
    boolean failed = objections.stream().anyMatch(o -> o.weight().needsPerson());
    if (broken.isEmpty() || failed) {
      return Decision.because(objections);
    }
    Pod pod = broken.get();
    var again = rollout.recreate(pod, "broken below " + outdated.getFirst().name());
    boolean mayHeal = madeBeforeThisRollOut(pod) && comesBackGood() && aboveTheFloor();
    if (mayHeal && rollout.objections(again).isEmpty()) {
      return new Perform(again);
    }
    if (mayHeal) {
      return Decision.because(objections);
    }
    var all = new ArrayList<Objection>();
    all.add(
        Reasons.BROKEN_MEMBER_OUT_OF_ORDER.objection(
            pod.name(),
            pod.trouble().map(t -> t.reason() + ": " + t.message()).orElse("it is broken")
                + "; "
                + outdated.getFirst().name()
                + " above it goes first and waits for it",
            "repair it, or revert the template",
            HUMAN));
    all.addAll(objections);
    return Decision.because(all);
  }

  private boolean madeBeforeThisRollOut(Pod pod) {
    Instant since = rollout.memory().target().map(Target::since).orElse(Instant.MAX);
    return pod.created().isBefore(since);
  }

  private boolean aboveTheFloor() {
    return new Floor(rollout.snapshot(), rollout.component(), rollout.policy())
        .belowFloor()
        .isEmpty();
  }

  private boolean comesBackGood() {
    return rollout
        .memory()
        .lastGood()
        .map(Good::revision)
        .filter(rollout.workload().currentRevision()::equals)
        .isPresent();
  }
}
