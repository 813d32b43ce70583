package dev.belay.core.report;

import dev.belay.core.model.Among;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Outcome;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Memory.Run;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.core.state.Step.Request;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How an upgrade ends, in the word of the history.
 *
 * @param now what will be remembered of the components
 */
record Ending(Snapshot snapshot, Decision decision, Map<String, ComponentMemory> now) {

  /** What is to be said of the upgrade under way; nothing is wrong with one that only begins. */
  Outcome soFar(Optional<Run> goesOn) {
    Outcome before = goesOn.map(Run::outcome).orElse(Outcome.COMPLETED);
    Optional<Outcome> stopped = stopped();
    if (stopped.isPresent()) {
      return stopped.get();
    }
    boolean again = decision instanceof Perform(Step.Heed heed) && heed.request() == Request.RETRY;
    if (!returns() || again) {
      return Outcome.COMPLETED;
    }
    boolean turns = goesOn.isPresent() && !returned(before());
    return turns && before == Outcome.COMPLETED ? Outcome.REVERTED : before;
  }

  /** Another target takes its place. */
  Outcome replaced(Run run) {
    boolean sentBack =
        Among.any(before(), c -> c.refused().filter(Refused::withdrawing).isPresent());
    if (sentBack && (returns() || run.outcome() == Outcome.COMPLETED)) {
      return Outcome.ROLLED_BACK;
    }
    if (run.outcome() != Outcome.COMPLETED) {
      return run.outcome();
    }
    return returns() ? Outcome.REVERTED : Outcome.SUPERSEDED;
  }

  /** Nothing is to be done any more. */
  Outcome over(Run run) {
    if (withdrawn()) {
      return Outcome.ROLLED_BACK;
    }
    return returned(before()) ? run.outcome() : Outcome.COMPLETED;
  }

  /** Whether the members go to what was good before. */
  boolean returns() {
    return returned(now.values());
  }

  private static boolean returned(Collection<ComponentMemory> components) {
    List<ComponentMemory> going = Among.those(components, c -> c.target().isPresent());
    return !going.isEmpty()
        && Among.all(going, c -> c.lastGood().filter(g -> leadsTo(c, g.revision())).isPresent());
  }

  /** Why the very revision that is rolled out is refused. */
  private Optional<Outcome> stopped() {
    if (isRefused(Cause.FAILED)) {
      return Optional.of(Outcome.FAILED);
    }
    return isRefused(Cause.ABORTED) ? Optional.of(Outcome.ABORTED) : Optional.empty();
  }

  private boolean isRefused(Cause cause) {
    return Among.any(
        now.values(),
        c -> c.refused().filter(r -> r.cause() == cause && leadsTo(c, r.revision())).isPresent());
  }

  /** Everyone is back from the revision that was rolled out. */
  private boolean withdrawn() {
    return Among.any(
        snapshot.memory().components().entrySet(),
        e ->
            Optional.ofNullable(now.get(e.getKey()))
                .flatMap(ComponentMemory::refused)
                .filter(Refused::withdrawing)
                .filter(r -> leadsTo(e.getValue(), r.revision()))
                .isPresent());
  }

  private static boolean leadsTo(ComponentMemory component, String revision) {
    return component.target().map(Target::revision).filter(revision::equals).isPresent();
  }

  private Collection<ComponentMemory> before() {
    return snapshot.memory().components().values();
  }
}
