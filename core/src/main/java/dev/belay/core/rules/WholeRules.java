package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.HUMAN;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What stands in the way of letting a controller loose on all members of a component. That of a
 * Deployment keeps as many pods up as its own strategy says, and makes missing ones itself; that of
 * a StatefulSet takes the next pod down whoever else is.
 */
final class WholeRules {

  private WholeRules() {}

  static Optional<Objection> somebodyStays(Snapshot snapshot, Component component) {
    boolean allGo =
        component
            .workload()
            .asOptional()
            .filter(w -> w.update() == Workload.Update.RECREATE)
            .isPresent();
    boolean serves = component.podList().stream().anyMatch(Pod::ready);
    return allGo && serves && !component.spec().rollout().allowDowntime()
        ? Optional.of(
            GroupRules.EVERY_GROUP_SURVIVES.objection(
                component.spec().workload(),
                "strategy Recreate of the Deployment takes all of its pods down at once",
                "set its strategy to RollingUpdate, or rollout.allowDowntime to true",
                HUMAN))
        : Optional.empty();
  }

  static Optional<Objection> allOfTheSetExist(Snapshot snapshot, Component component) {
    return set(component)
        .filter(_ -> component.podList().stream().noneMatch(p -> heals(snapshot, component, p)))
        .flatMap(w -> PodRules.complete(PodRules.EVERY_POD_EXISTS, component, w, Optional.empty()));
  }

  /** All other components are up, and of a set its own members too. */
  static Optional<Objection> allAreUp(Snapshot snapshot, Component component) {
    String workload = component.spec().workload();
    Stream<String> own =
        component.podList().stream()
            .filter(p -> set(component).isPresent() && !p.available())
            .filter(p -> !heals(snapshot, component, p))
            .map(PodRules::down);
    List<String> down = Stream.concat(own, PodRules.elsewhere(snapshot, component)).toList();
    return PodRules.unseenElsewhere(PodRules.ONE_AT_A_TIME, snapshot, component, workload)
        .or(() ->
            down.size() <= component.spec().rollout().tolerateUnhealthy()
                ? Optional.empty()
                : Optional.of(
                    PodRules.ONE_AT_A_TIME.objection(
                        workload,
                        "not available: " + String.join(", ", down),
                        "wait for the named pods",
                        WAIT)));
  }

  static Optional<Objection> budgetAllowsTheSet(Snapshot snapshot, Component component) {
    return set(component)
        .flatMap(_ ->
            new Course(snapshot, component)
                .outdated().stream()
                    .flatMap(p -> PodRules.disruptionBudgetAllows(snapshot, component, p).stream())
                    .findFirst());
  }

  /** Whoever is there already is not touched again. */
  static Optional<Objection> noPodIsHeld(Snapshot snapshot, Component component) {
    return new Course(snapshot, component)
        .outdated().stream()
            .flatMap(p -> PodRules.podIsNotHeld(snapshot, component, p).stream())
            .findFirst();
  }

  /** Down on a revision that never was good: the new one may be what it waits for. */
  private static boolean heals(Snapshot snapshot, Component component, Pod pod) {
    return !pod.ready() && MemberState.neverGood(snapshot, component, pod);
  }

  private static Optional<Workload> set(Component component) {
    return component.workload().asOptional().filter(w -> w.kind() == Workload.Kind.STATEFUL_SET);
  }
}
