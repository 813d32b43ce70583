package dev.belay.core.report;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.rules.WholeUpgrade;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.Optional;

/** Whose turn it is among the components of an upgrade. */
record Turns(Snapshot snapshot) {

  /** Another component whose members go first, so that this one has nothing to do yet. */
  Optional<Component> before(Component component) {
    return snapshot.components().size() == 1
        ? Optional.empty()
        : Among.first(WholeUpgrade.order(snapshot), c -> UpdatedMembers.underWay(snapshot, c))
            .filter(c -> !c.name().equals(component.name()));
  }

  /** Whether a decision is about a component: its step, an object or a field of it. */
  static boolean concerns(Decision decision, Component component) {
    if (decision instanceof Perform(Step step)) {
      return step.component().equals(component.name());
    }
    return Among.any(
        decision.objections(),
        o -> component.owns(o.object()) || o.object().startsWith(component.path() + "."));
  }
}
