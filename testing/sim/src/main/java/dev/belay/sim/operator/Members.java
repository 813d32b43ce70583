package dev.belay.sim.operator;

import dev.belay.core.model.Among;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.Raft;
import dev.belay.sim.world.Raft.Voter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The driver's reading of the members. Facts: a stopped process refuses connections, a paused one
 * lets the reader wait; a leader counts only when every voter that answers names the same one in
 * the same term.
 */
final class Members {

  private final Instance instance;

  Members(Instance instance) {
    this.instance = instance;
  }

  Fact<Topology> topology(Part part) {
    if (!part.setup.hasMembers()) {
      return Fact.known(Topology.NONE);
    }
    instance.takesTime(1, 8);
    Raft raft = part.raft;
    if (Among.any(raft.voters(), v -> v.paused)) {
      instance.takesTime(300, 900);
    }
    if (Among.none(raft.voters(), v -> v.running && !v.paused)) {
      return Fact.unknown("no member answers");
    }
    boolean odd = instance.world.weather.holds(Fault.DRIVER_ANSWERS);
    return odd ? odd(part) : Fact.known(sound(part, leader(raft)));
  }

  private static Topology sound(Part part, Fact<Topology.Leader> leader) {
    Raft raft = part.raft;
    var members = new ArrayList<Member>();
    var ids = new ArrayList<String>();
    for (Voter voter : raft.voters()) {
      members.add(member(part, voter));
      ids.add(voter.id());
    }
    var voters = new Group("voters", ids, raft.majority());
    return new Topology("cluster-1", members, leader, List.of(voters));
  }

  /** Answers that cannot be used, as far as a driver lets them through. */
  private Fact<Topology> odd(Part part) {
    return switch (instance.rng.below(5)) {
      case 0 -> Fact.unknown("db-1 answers for cluster-2, the others for cluster-1");
      case 1 -> Fact.known(sound(part, Fact.unknown("db-0 and db-1 both claim to lead")));
      case 2 -> Fact.known(sound(part, Fact.known(new Topology.Leader("m99", "7"))));
      case 3 -> Fact.known(twice(sound(part, leader(part.raft))));
      default -> Fact.unknown("malformed answer: <html>");
    };
  }

  private static Topology twice(Topology topology) {
    var members = new ArrayList<>(topology.members());
    members.add(members.getFirst());
    return new Topology(topology.clusterId(), members, topology.leader(), topology.groups());
  }

  private static Fact<Topology.Leader> leader(Raft raft) {
    if (raft.leader() < 0) {
      return Fact.unknown("no leader");
    }
    if (Among.any(raft.voters(), v -> v.cut && v.running && !v.paused)) {
      return Fact.unknown("a member that is cut off names no leader");
    }
    return Fact.known(new Topology.Leader("m" + raft.leader(), Long.toString(raft.term())));
  }

  private static Member member(Part part, Voter voter) {
    Raft raft = part.raft;
    boolean answers = voter.running && !voter.paused;
    Role role =
        !answers ? Role.UNKNOWN : voter.ordinal == raft.leader() ? Role.LEADER : Role.FOLLOWER;
    return new Member(
        voter.id(),
        part.set().podName(voter.ordinal),
        List.of(),
        role,
        health(raft, voter),
        answers ? Fact.known(voter.version) : Fact.unknown("it does not answer"),
        answers && raft.clusterMinor() >= 0
            ? Map.of(RaftPolicy.CLUSTER_VERSION, Fact.known(Integer.toString(raft.clusterMinor())))
            : Map.of());
  }

  private static Fact<Health> health(Raft raft, Voter voter) {
    if (!voter.running) {
      return Fact.known(Health.down("refuses connections"));
    }
    if (voter.paused) {
      return Fact.unknown("no answer in time");
    }
    if (raft.healthy(voter.ordinal)) {
      return Fact.known(new Health(true, "serves"));
    }
    String why = raft.leader() < 0 ? "knows no leader" : voter.lags ? "lags" : "does not serve";
    return Fact.known(new Health(false, why));
  }
}
