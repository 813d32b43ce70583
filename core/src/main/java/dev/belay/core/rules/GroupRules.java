package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.HUMAN;
import static dev.belay.core.state.Objection.Weight.PROGRESS;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
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
    if (MemberState.gone(component, target) || MemberState.repairs(snapshot, component, target)) {
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
    boolean several = component.spec().rollout().slack() > 0;
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
      boolean neverJoined = pod.equals(target) && MemberState.gone(component, target);
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
      boolean missed = pod.terminating() || !MemberState.memberTrouble(component, pod).isEmpty();
      if (!pod.uid().equals(target.uid()) && missed) {
        down.add(pod.name());
      }
    }
    if (down.size()
            <= component.spec().rollout().tolerateUnhealthy() + component.spec().rollout().slack()
        || MemberState.repairs(snapshot, component, target)
        || MemberState.nothingToLose(snapshot, component, target)) {
      return Optional.empty();
    }
    String names = String.join(", ", down);
    return Optional.of(
        EVERYONE_ELSE_IS_HEALTHY.objection(
            target.name(), "not healthy: " + names, names + " back", WAIT));
  }

  static Optional<Objection> leaderMovesFirst(Snapshot snapshot, Component component, Pod target) {
    Optional<Topology> topology = component.topology().asOptional();
    if (topology.isEmpty()
        || topology.get().memberless()
        || topology.get().leader().is(Topology.Leader.NOBODY)
        || MemberState.gone(component, target)) {
      return Optional.empty();
    }
    return switch (topology.get().leader()) {
      case Fact.Unknown<Topology.Leader> unknown ->
          MemberState.downAnyway(component, target)
                  || MemberState.repairs(snapshot, component, target)
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
}
