package dev.belay.core.rules;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Snapshot;
import java.util.List;
import java.util.Optional;

/** How the member of one pod is: serving, down, hanging, or on a revision that never was good. */
public final class MemberState {

  private MemberState() {}

  /** Why the member in a ready pod does not serve; empty when it does. */
  public static String memberTrouble(Component component, Pod pod) {
    if (component.topology().asOptional().filter(Topology::memberless).isPresent()) {
      return "";
    }
    return switch (component.memberOf(pod).flatMap(Member::health)) {
      case Fact.Unknown<Member.Health>(String why) -> "health is unknown: " + why;
      case Fact.Known<Member.Health>(Member.Health h) ->
          h.good() ? "" : "is unhealthy: " + h.reading();
    };
  }

  /**
   * Whether touching the target can only help: it is down on a revision that never was good, and a
   * group of its is below its minimum already, so that the others may be unwell for that very
   * reason. A member that is down on the last good revision, or that served before and is not
   * stuck, is no such case: it comes back by itself, and an unproven revision would repair nothing.
   */
  static boolean repairs(Snapshot snapshot, Component component, Pod target) {
    boolean down =
        gone(component, target)
            || (downAnyway(component, target) && !hasServed(snapshot, component, target))
            || hangs(snapshot, component, target);
    return down
        && neverGood(snapshot, component, target)
        && component.topology().asOptional().filter(t -> below(component, t, target)).isPresent();
  }

  /**
   * A group of its is below its minimum; who leads one that seems so has voters that are unseen.
   */
  private static boolean below(Component component, Topology topology, Pod target) {
    List<Group> groups =
        component
            .memberOf(target)
            .asOptional()
            .map(m -> topology.groupsOf(m.id()))
            .orElse(topology.groups());
    return topology.leader().asOptional().isEmpty()
        && Among.any(groups, g -> healthy(topology, g) < g.required());
  }

  /**
   * Stuck on a revision that never was good: it serves nobody, so that others who are down are no
   * reason to leave it stuck.
   */
  public static boolean nothingToLose(Snapshot snapshot, Component component, Pod target) {
    return gone(component, target) && neverGood(snapshot, component, target);
  }

  /**
   * It runs and was never ready, for longer than it may take: nothing tells it from a slow one. One
   * on the last good revision has been ready before, and comes back by itself.
   */
  static boolean hangs(Snapshot snapshot, Component component, Pod target) {
    var limit = component.spec().rollout().readyTimeout();
    return !target.ready()
        && neverGood(snapshot, component, target)
        && target.created().plus(limit).isBefore(snapshot.at())
        && !hasServed(snapshot, component, target)
        && component
            .memberOf(target)
            .flatMap(Member::health)
            .asOptional()
            .filter(h -> !h.good())
            .isPresent();
  }

  static boolean neverGood(Snapshot snapshot, Component component, Pod target) {
    return snapshot
        .memory()
        .component(component.name())
        .lastGood()
        .map(good -> !good.revision().equals(target.revision()))
        .orElse(target.stuck());
  }

  private static long healthy(Topology topology, Group group) {
    return Among.count(topology.membersOf(group), Member::healthy);
  }

  /**
   * Stuck by Kubernetes' account, and nothing the system says contradicts it: a pod whose sidecar
   * crashes is stuck as well, while its member serves and may lead.
   */
  public static boolean gone(Component component, Pod target) {
    Optional<Member> member = component.memberOf(target).asOptional();
    return target.stuck()
        && target.trouble().filter(Pod.Trouble::stopped).isPresent()
        && member.filter(m -> m.healthy() || m.role() == Member.Role.LEADER).isEmpty();
  }

  /** Not ready for too long, and no more is known against it. */
  static boolean onlyHangs(Snapshot snapshot, Component component, Pod target) {
    return hangs(snapshot, component, target)
        && !gone(component, target)
        && !downAnyway(component, target);
  }

  static boolean downAnyway(Component component, Pod target) {
    return component.memberOf(target).asOptional().filter(Member::knownDown).isPresent();
  }

  private static boolean hasServed(Snapshot snapshot, Component component, Pod target) {
    return snapshot.memory().component(component.name()).served().contains(target.uid());
  }

  /** Ready, and its member is healthy. */
  public static boolean isUp(Component component, Pod pod) {
    return pod.ready() && !pod.terminating() && memberTrouble(component, pod).isEmpty();
  }
}
