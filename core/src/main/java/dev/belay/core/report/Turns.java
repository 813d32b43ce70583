package dev.belay.core.report;

import dev.belay.core.plan.Course;
import dev.belay.core.plan.Decision;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Step;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Snapshot;
import java.util.List;
import java.util.Optional;

/** Whose turn it is among the components of an upgrade. */
record Turns(Snapshot snapshot) {

  /** Whether members of another component go first, so that this one has nothing to do yet. */
  boolean isAnothers(Component component) {
    return first().filter(c -> !c.name().equals(component.name())).isPresent();
  }

  /** The first in the order of the way that has members to follow. */
  Optional<Component> first() {
    boolean back =
        snapshot.components().stream()
            .map(c -> new Course(snapshot, c))
            .anyMatch(c -> c.sentBack() || c.returning());
    List<Component> order = back ? snapshot.components().reversed() : snapshot.components();
    return order.stream().filter(c -> !new Course(snapshot, c).outdated().isEmpty()).findFirst();
  }

  /** Whether a decision is about a component: its step, or an object of its that is named. */
  static boolean concerns(Decision decision, Component component) {
    if (decision instanceof Perform(Step step)) {
      return step.component().equals(component.name());
    }
    return decision.objections().stream()
        .anyMatch(o ->
            o.object().equals(component.spec().workload())
                || o.object().contains("[" + component.name() + "]")
                || component.podList().stream().anyMatch(p -> p.name().equals(o.object())));
  }
}
