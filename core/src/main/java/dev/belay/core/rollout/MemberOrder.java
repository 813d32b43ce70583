package dev.belay.core.rollout;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec.Strategy;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.MemberState;
import dev.belay.core.state.Snapshot;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** In which order the members of a component go. */
public final class MemberOrder {

  private MemberOrder() {}

  /** The outdated member that goes next; empty where a controller replaces them all. */
  public static Optional<Pod> next(Snapshot snapshot, Component component) {
    var course = new Course(snapshot, component);
    if (course.withdrawing()) {
      return course.outdated().stream().min(brokenFirst(component));
    }
    Optional<Strategy> strategy =
        component
            .workload()
            .asOptional()
            .map(w -> component.spec().rollout().strategy().orElseGet(w::ownStrategy));
    return switch (strategy.orElse(Strategy.NATIVE)) {
      case PARTITION -> Among.first(course.outdated());
      case ON_DELETE -> leastFirst(component, course.outdated());
      case NATIVE -> Optional.empty();
    };
  }

  /** Whoever is held is passed by; when nobody else is left, it is said. */
  static Optional<Pod> leastFirst(Component component, List<Pod> outdated) {
    List<Pod> order = outdated.stream().sorted(leastFirst(component)).toList();
    return Among.first(order, p -> !p.terminating() && !p.held()).or(() -> Among.first(order));
  }

  /**
   * Broken ones first, for the others would wait for them; then those without a vote, the leader
   * last; among equals from the top.
   */
  private static Comparator<Pod> leastFirst(Component component) {
    return Comparator.<Pod>comparingInt(p -> weight(component, p))
        .thenComparing(p -> component.leads(p))
        .thenComparing(Comparator.comparingInt(Pod::ordinal).reversed());
  }

  private static int weight(Component component, Pod pod) {
    if (!pod.ready() || knownUnwell(component, pod)) {
      return 0;
    }
    // A leader that does not answer may do so in a moment: its place is not taken for that.
    if (component.leads(pod)) {
      return 3;
    }
    if (!MemberState.memberTrouble(component, pod).isEmpty()) {
      return 0;
    }
    boolean knownNotToVote =
        component
            .topology()
            .asOptional()
            .flatMap(
                t -> component.memberOf(pod).asOptional().map(m -> t.groupsOf(m.id()).isEmpty()))
            .orElse(false);
    return knownNotToVote ? 1 : 2;
  }

  private static boolean knownUnwell(Component component, Pod pod) {
    return component
        .memberOf(pod)
        .flatMap(Member::health)
        .asOptional()
        .filter(h -> !h.good())
        .isPresent();
  }

  /**
   * Broken ones first: others may be unready for want of them. Then those that are not ready, the
   * leader last; among equals, whoever was updated last goes first. Whoever is held keeps nobody
   * else.
   */
  static Comparator<Pod> brokenFirst(Component component) {
    return Comparator.comparing(Pod::held)
        .thenComparing(p -> !p.stuck())
        .thenComparing(Pod::ready)
        .thenComparing(p -> component.leads(p))
        .thenComparingInt(Pod::ordinal);
  }
}
