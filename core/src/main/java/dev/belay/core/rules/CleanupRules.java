package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.PROGRESS;

import dev.belay.core.model.Action;
import dev.belay.core.model.Action.Moment;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Memory.Obligation.Progress;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import java.util.List;
import java.util.Optional;

/** What was done to other members for the upgrade and is still to be undone. */
public final class CleanupRules {

  public static final Reason TAKEN_BACK_FIRST =
      new Reason(
          "TakenBackFirst",
          "What was done to a member for the upgrade is taken back before the next one is touched.",
          "Make the named request succeed; Belay sends it again by itself.",
          "tidb-operator#4483: after a crash the scheduler that keeps leaders off a store"
              + " was left behind. #1200: taken back too early, it let them flow back.");

  private CleanupRules() {}

  static Optional<Objection> takenBackFirst(Snapshot snapshot, Component component, Pod target) {
    return otherThan(snapshot, component, target)
        .map(o ->
            TAKEN_BACK_FIRST.objection(
                target.name(),
                o.object() + ": " + o.undo() + " is still due",
                "wait for it",
                PROGRESS));
  }

  /** A member other than this one that still has something to be taken back from. */
  private static Optional<Obligation> otherThan(Snapshot snapshot, Component component, Pod pod) {
    List<Obligation> open =
        Among.those(
            snapshot.memory().component(component.name()).obligations(),
            o ->
                o.moment() == Moment.BEFORE_MEMBER
                    && o.open()
                    && !o.object().equals(pod.name())
                    && !isTakenBack(component, o));
    long members = open.stream().map(Obligation::object).distinct().count();
    return Among.first(open, _ -> members > component.spec().rollout().slack());
  }

  private static boolean isTakenBack(Component component, Obligation obligation) {
    return obligation.progress() == Progress.UNDOING
        && Among.any(
            component.acts(),
            r -> r.id().equals(obligation.id()) && r.undo() && r.state() == Action.State.PASSED);
  }
}
