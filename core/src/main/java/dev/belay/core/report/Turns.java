package dev.belay.core.report;

import dev.belay.core.plan.Course;
import dev.belay.core.plan.Decision;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Step;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Snapshot;
import java.util.Optional;

/** Whose turn it is among the components of an upgrade. */
record Turns(Snapshot snapshot) {

  /** Whether members of another component go first, so that this one has nothing to do yet. */
  boolean isAnothers(Component component) {
    return first().filter(c -> !c.name().equals(component.name())).isPresent();
  }

  /** The first in the order of the way that has members to follow. */
  Optional<Component> first() {
    return Course.order(snapshot).stream()
        .filter(c -> new Course(snapshot, c).underWay())
        .findFirst();
  }

  /** Whether a decision is about a component: its step, or an object of its that is named. */
  static boolean concerns(Decision decision, Component component) {
    if (decision instanceof Perform(Step step)) {
      return step.component().equals(component.name());
    }
    return decision.objections().stream()
        .anyMatch(
            o -> component.owns(o.object()) || o.object().contains("[" + component.name() + "]"));
  }
}
