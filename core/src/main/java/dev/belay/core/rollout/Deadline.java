package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.FAILURE;

import dev.belay.core.model.Component;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.MigrationState;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import java.time.Duration;
import java.util.List;

/** A roll-out in which nothing moves is called failed, not left waiting for ever. */
public final class Deadline {

  private Deadline() {}

  public static Decision applied(Snapshot snapshot, Component component, Decision decision) {
    Duration limit = component.spec().rollout().progressDeadline();
    boolean late =
        snapshot
            .memory()
            .component(component.name())
            .target()
            .filter(t -> t.moved().plus(limit).isBefore(snapshot.at()))
            .isPresent();
    var course = new Course(snapshot, component);
    // A table is rewritten for as long as that takes.
    boolean migrates = MigrationState.underWay(snapshot);
    if (!late || migrates || !course.known() || !(decision instanceof Wait wait)) {
      return decision;
    }
    Objection first = wait.objections().getFirst();
    return Decision.because(
            List.of(
                Reasons.PROGRESS_DEADLINE.objection(
                    first.object(),
                    "ProgressDeadlineExceeded: nothing moved for "
                        + UpdatedMembers.words(limit)
                        + "; "
                        + first.reason().name()
                        + ", "
                        + first.reading(),
                    first.cure()
                        + (course.withdrawing()
                            ? "; or stop the way back: belay abort "
                            : "; then ask for another try: belay retry ")
                        + snapshot.subject().name(),
                    FAILURE)))
        .also(wait.objections());
  }
}
