package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.HUMAN;
import static dev.belay.core.plan.Objection.Weight.PROGRESS;
import static dev.belay.core.plan.Objection.Weight.WAIT;

import dev.belay.core.snapshot.Among;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Group;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Topology;
import dev.belay.core.snapshot.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the system's own members have to say about taking one of them down. */
public final class GroupRules {

  public static final Reason EVERY_GROUP_SURVIVES =
      new Reason(
          "EveryGroupSurvives",
          "Every group the member belongs to keeps enough healthy members without it: no write"
              + " quorum is lost.",
          "Bring the unhealthy members back; for groups too small to lose a member set"
              + " rollout.allowDowntime.",
          "Neither a StatefulSet nor a PodDisruptionBudget knows of votes: with one of"
              + " three voters dead, ready pods are replaced all the same. redpanda-operator"
              + " PR#1547: several brokers could be deleted in one pass.");

  public static final Reason MEMBERS_MATCH_PODS =
      new Reason(
          "MembersMatchPods",
          "Every pod is exactly one member and every voter is a pod of the set, so that counting"
              + " members means what it says.",
          "Remove members that no longer exist from the system, or correct driver.memberName.",
          "Who was removed as a pod and not as a member still counts in Raft: with a"
              + " ghost among four voters, three have to be well. redpanda-operator PR#1538 is"
              + " a departure that health did not know of yet.");

  public static final Reason EVERYONE_ELSE_IS_HEALTHY =
      new Reason(
          "EveryoneElseIsHealthy",
          "Every other voter is healthy, beyond the bare quorum; rollout.tolerateUnhealthy says how"
              + " many may be missing.",
          "Bring the named members back.",
          "A bare quorum has nothing left for an accident while a member restarts."
              + " tidb-operator asks this of PD's peers only where an annotation wants it.");

  public static final Reason LEADER_MOVES_FIRST =
      new Reason(
          "LeaderMovesFirst",
          "A leader is never taken down: another healthy, caught-up member leads, as seen by a fresh"
              + " read.",
          "Belay moves leadership itself; if it cannot, look at the named members.",
          "The upgrader of PD in tidb-operator logs that it found no successor and"
              + " restarts the leader. tidb-operator#5764: leadership went to a member that was"
              + " not ready to serve.");

  private GroupRules() {}

  static Optional<Objection> everyGroupSurvives(
      Snapshot snapshot, Component component, Pod target) {
    if (gone(component, target) || repairs(snapshot, component, target)) {
      return Optional.empty();
    }
    if (component.topology() instanceof Fact.Unknown<Topology> unknown) {
      return Optional.of(EVERY_GROUP_SURVIVES.unseen(target.name(), unknown));
    }
    Topology topology = component.topology().asOptional().orElseThrow();
    if (topology.memberless()) {
      return Optional.empty();
    }
    return switch (component.memberOf(target)) {
      case Fact.Unknown<Member> unknown ->
          Optional.of(EVERY_GROUP_SURVIVES.unseen(target.name(), unknown));
      case Fact.Known<Member>(Member member) -> {
        for (Group group : topology.groupsOf(member.id())) {
          Optional<Objection> lost = survives(snapshot, component, topology, group, member);
          if (lost.isPresent()) {
            yield lost.map(o -> o.about(target.name()));
          }
        }
        yield Optional.empty();
      }
    };
  }

  private static Optional<Objection> survives(
      Snapshot snapshot, Component component, Topology topology, Group group, Member target) {
    List<Member> members = topology.membersOf(group);
    List<Member> serving = Among.those(members, m -> stays(snapshot, component, m));
    long healthy = serving.size();
    long remain = Among.count(serving, m -> !m.id().equals(target.id()));
    boolean tooSmall = group.memberIds().size() - 1 < group.required();
    if (remain >= group.required()
        || target.knownDown()
        || (tooSmall && component.spec().rollout().allowDowntime())) {
      return Optional.empty();
    }
    String reading =
        String.format(
            Locale.ROOT,
            "%d of %d %s healthy, %d would remain, %d needed",
            healthy,
            group.memberIds().size(),
            group.name(),
            remain,
            group.required());
    if (tooSmall) {
      return Optional.of(
          EVERY_GROUP_SURVIVES.objection(
              target.name(),
              reading,
              "set rollout.allowDowntime: true to accept downtime, or add members",
              HUMAN));
    }
    String missing =
        members.stream()
            .filter(m -> !stays(snapshot, component, m) && !m.id().equals(target.id()))
            .map(Member::name)
            .sorted()
            .collect(Collectors.joining(", "));
    return Optional.of(
        EVERY_GROUP_SURVIVES.objection(target.name(), reading, missing + " back", WAIT));
  }

  /**
   * Healthy, and not about to go: a pod that terminates still serves, but not for long. Where
   * several go at a time, nobody else has asked whether those before are back and proven.
   */
  private static boolean stays(Snapshot snapshot, Component component, Member member) {
    boolean several = PodRules.slack(component) > 0;
    return member.healthy()
        && component
            .podOf(member)
            .filter(p -> p.terminating() || (several && !PodRules.isBack(snapshot, component, p)))
            .isEmpty();
  }

  static Optional<Objection> membersMatchPods(Snapshot snapshot, Component component, Pod target) {
    Optional<Topology> topology = component.topology().asOptional();
    if (topology.isEmpty() || topology.get().memberless()) {
      return Optional.empty();
    }
    for (Pod pod : component.podList()) {
      boolean neverJoined = pod.equals(target) && gone(component, target);
      if (!neverJoined && component.memberOf(pod) instanceof Fact.Unknown<Member>(String why)) {
        return Optional.of(
            MEMBERS_MATCH_PODS.objection(
                pod.name(), why, "correct driver.memberName, or the member's URLs", WAIT));
      }
    }
    for (Member member : topology.get().members()) {
      if (component.podOf(member).isEmpty() && !awaited(component, member)) {
        return Optional.of(
            MEMBERS_MATCH_PODS.objection(
                target.name(),
                "member " + member.id() + " (" + member.name() + ") is no pod of the set",
                "remove it from the system, or bring its pod back",
                WAIT));
      }
    }
    return Optional.empty();
  }

  /** Whether its pod belongs to the set and is only missing: EveryPodExists speaks of that. */
  private static boolean awaited(Component component, Member member) {
    Workload workload = component.workload().asOptional().orElseThrow();
    return IntStream.range(0, workload.replicas())
        .mapToObj(i -> workload.name() + "-" + (workload.firstOrdinal() + i))
        .filter(pod -> Among.none(component.podList(), p -> p.name().equals(pod)))
        .map(pod -> component.spec().memberName().replace("{pod}", pod))
        .anyMatch(member.name()::equals);
  }

  static Optional<Objection> everyoneElseIsHealthy(
      Snapshot snapshot, Component component, Pod target) {
    var down = new ArrayList<String>();
    for (Pod pod : component.podList()) {
      boolean missed = pod.terminating() || !memberTrouble(component, pod).isEmpty();
      if (!pod.uid().equals(target.uid()) && missed) {
        down.add(pod.name());
      }
    }
    if (down.size() <= component.spec().rollout().tolerateUnhealthy() + PodRules.slack(component)
        || repairs(snapshot, component, target)
        || nothingToLose(snapshot, component, target)) {
      return Optional.empty();
    }
    String names = String.join(", ", down);
    return Optional.of(
        EVERYONE_ELSE_IS_HEALTHY.objection(
            target.name(), "not healthy: " + names, names + " back", WAIT));
  }

  /** Why the member in a ready pod does not serve; empty when it does. */
  static String memberTrouble(Component component, Pod pod) {
    if (component.topology().asOptional().filter(Topology::memberless).isPresent()) {
      return "";
    }
    return switch (component.memberOf(pod).flatMap(Member::health)) {
      case Fact.Unknown<Member.Health>(String why) -> "health is unknown: " + why;
      case Fact.Known<Member.Health>(Member.Health h) ->
          h.good() ? "" : "is unhealthy: " + h.reading();
    };
  }

  static Optional<Objection> leaderMovesFirst(Snapshot snapshot, Component component, Pod target) {
    Optional<Topology> topology = component.topology().asOptional();
    if (topology.isEmpty()
        || topology.get().memberless()
        || topology.get().leader().is(Topology.Leader.NOBODY)
        || gone(component, target)) {
      return Optional.empty();
    }
    return switch (topology.get().leader()) {
      case Fact.Unknown<Topology.Leader> unknown ->
          downAnyway(component, target) || repairs(snapshot, component, target)
              ? Optional.empty()
              : Optional.of(LEADER_MOVES_FIRST.unseen(target.name(), unknown));
      case Fact.Known<Topology.Leader>(Topology.Leader leader) -> {
        boolean follows =
            component
                .memberOf(target)
                .asOptional()
                .filter(m -> !m.id().equals(leader.memberId()))
                .isPresent();
        yield follows || mayGoDown(component, topology.get(), leader)
            ? Optional.empty()
            : Optional.of(
                LEADER_MOVES_FIRST.objection(
                    target.name(), "it leads", "leadership moves away first", PROGRESS));
      }
    };
  }

  /**
   * A leader that is alone has nobody to hand over to: it goes down with consent, or not at all.
   */
  private static boolean mayGoDown(Component component, Topology topology, Topology.Leader leader) {
    return component.spec().rollout().allowDowntime()
        && Among.all(topology.groupsOf(leader.memberId()), g -> g.memberIds().size() == 1);
  }

  /**
   * Whether touching the target can only help: it is down on a revision that never was good, and a
   * group of its is below its minimum already, so that the others may be unwell for that very
   * reason. A member that is down on the last good revision, or that served before and is not
   * stuck, is no such case: it comes back by itself, and taking it to an unproven revision would
   * repair nothing.
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
  static boolean nothingToLose(Snapshot snapshot, Component component, Pod target) {
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

  private static boolean hasServed(Snapshot snapshot, Component component, Pod target) {
    return snapshot.memory().component(component.name()).served().contains(target.uid());
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
  static boolean gone(Component component, Pod target) {
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

  private static boolean downAnyway(Component component, Pod target) {
    return component.memberOf(target).asOptional().filter(Member::knownDown).isPresent();
  }
}
