package dev.belay.core.state;

import dev.belay.core.model.Component;
import java.util.Optional;

/**
 * A reason and a judge. Rules only object; a step to which no rule objects is allowed. A rule reads
 * nothing but the snapshot.
 */
public record Rule(Reason reason, Judge judge) {

  /** The question that a rule answers about one step on one component. */
  @FunctionalInterface
  public interface Judge {
    Optional<Objection> object(Snapshot snapshot, Component component, Step step);
  }

  public Optional<Objection> objection(Snapshot snapshot, Component component, Step step) {
    return judge.object(snapshot, component, step);
  }
}
