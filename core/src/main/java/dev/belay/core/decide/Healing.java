package dev.belay.core.decide;

import static dev.belay.core.state.Objection.Weight.HUMAN;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec.Strategy;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.MemberState;
import dev.belay.core.rules.PodRules;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a component would do for those of its members that are stuck on what was never good. That
 * may go out of turn, since others may be waiting for them; the roll of those that serve may not.
 */
record Healing(Snapshot snapshot, Component component, Decision decision) {

  /** Whether its step heals, and takes nobody along that has something to lose. */
  boolean heals() {
    return decision instanceof Perform(Step step)
        && switch (step) {
          // The template alone moves nobody.
          case Step.SetTemplate _ -> Among.any(component.podList(), this::isStuck);
          case Step.LetRoll _ -> Among.all(goes(), this::isStuck);
          default ->
              step.takesDown().isPresent()
                  && Among.any(
                      component.podList(),
                      p -> step.takesDown().filter(p.name()::equals).isPresent() && isStuck(p));
        };
  }

  /** Whether a controller is at it already, and what is spoken of is somebody else's matter. */
  boolean goesOn(Strategy strategy) {
    return strategy == Strategy.NATIVE
        && !goes().isEmpty()
        && Among.all(goes(), this::isStuck)
        && Among.none(decision.objections(), o -> component.owns(o.object()));
  }

  /** That somebody waits for one which cannot be healed without moving others before their turn. */
  Optional<Objection> isWaitedFor(Component first, Objection why) {
    boolean rolls = decision instanceof Perform(Step.LetRoll _) && !heals();
    return Among.first(goes(), p -> isStuck(p) && PodRules.isDown(p))
        .filter(_ -> rolls && why.is(PodRules.ONE_AT_A_TIME))
        .filter(_ -> PodRules.unseenElsewhere(why.reason(), snapshot, first, "").isEmpty())
        .map(stuck ->
            Reasons.COMPONENTS_IN_ORDER.objection(
                component.spec().workload(),
                String.format(
                    Locale.ROOT,
                    "%s is stuck and %s waits for it; whoever rolls %s takes %s along, before %s is"
                        + " through",
                    stuck.name(),
                    first.name(),
                    component.spec().workload(),
                    others(),
                    first.name()),
                "revert the template of "
                    + component.name()
                    + ", which heals it alone; or let the others go on without it:"
                    + " rollout.tolerateUnhealthy of "
                    + first.name(),
                HUMAN));
  }

  private String others() {
    return goes().stream()
        .filter(p -> !isStuck(p))
        .map(Pod::name)
        .collect(Collectors.joining(", "));
  }

  private List<Pod> goes() {
    return new Course(snapshot, component).outdated();
  }

  private boolean isStuck(Pod pod) {
    return MemberState.nothingToLose(snapshot, component, pod);
  }
}
