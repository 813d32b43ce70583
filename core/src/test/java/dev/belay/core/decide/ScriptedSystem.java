package dev.belay.core.decide;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The system in the pods of a {@link ScriptedWorld}: who its members are, and who leads. */
final class ScriptedSystem {

  int voters;
  Optional<Integer> leader = Optional.of(0);
  int term = 1;

  /** Members that no pod of the set is. */
  final Set<String> strangers = new TreeSet<>();

  /** Ordinals of members that have no vote yet. */
  final Set<Integer> learners = new TreeSet<>();

  /** What members read of their own term, by ordinal. */
  final Map<Integer, String> terms = new HashMap<>();

  /** Why nobody can be asked; empty when they can. */
  Optional<String> lost = Optional.empty();

  boolean memberless;

  /** All are equal, and nobody leads. */
  boolean peers;

  void leads(int ordinal) {
    leader = Optional.of(ordinal);
    term++;
  }

  Fact<Topology> topology(ScriptedWorld world) {
    if (memberless) {
      return Fact.known(Topology.NONE);
    }
    if (lost.isPresent()) {
      return Fact.unknown(lost.get());
    }
    var members = new ArrayList<Member>();
    for (int ordinal = world.first; ordinal < world.first + voters; ordinal++) {
      members.add(member(world, ordinal));
    }
    strangers.forEach(s -> members.add(stranger(s)));
    List<String> ids =
        members.stream().filter(m -> m.role() != Member.Role.LEARNER).map(Member::id).toList();
    Fact<Topology.Leader> leading =
        leader
            .<Fact<Topology.Leader>>map(o -> Fact.known(new Topology.Leader("m" + o, "" + term)))
            .orElse(Fact.unknown("no leader"));
    return Fact.known(
        new Topology(
            "c1",
            members,
            peers ? Fact.known(Topology.Leader.NOBODY) : leading,
            List.of(new Group("voters", ids, ids.size() / 2 + 1))));
  }

  private static Member stranger(String name) {
    return new Member(
        name,
        name,
        List.of(),
        Member.Role.FOLLOWER,
        Fact.unknown("never answered"),
        Fact.unknown("never answered"),
        Map.of());
  }

  /** A member outlives its pod: the system still counts it while the pod is gone. */
  private Member member(ScriptedWorld world, int ordinal) {
    ScriptedPod pod = world.pods.get(ordinal);
    boolean answers =
        pod != null && pod.health.asOptional().filter(Member.Health::good).isPresent();
    return new Member(
        "m" + ordinal,
        world.name(ordinal),
        List.of(),
        role(ordinal),
        pod == null ? Fact.unknown("it has no pod") : pod.health,
        answers
            ? Fact.known(pod.reads.orElse(pod.image.substring(pod.image.indexOf(':') + 1)))
            : Fact.unknown("no answer"),
        terms.containsKey(ordinal)
            ? Map.of(Command.TERM, Fact.known(terms.get(ordinal)))
            : Map.of());
  }

  private Member.Role role(int ordinal) {
    if (peers) {
      return Member.Role.PEER;
    }
    if (learners.contains(ordinal)) {
      return Member.Role.LEARNER;
    }
    return leader.equals(Optional.of(ordinal)) ? Member.Role.LEADER : Member.Role.FOLLOWER;
  }
}
