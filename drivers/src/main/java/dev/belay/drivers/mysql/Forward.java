package dev.belay.drivers.mysql;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import java.util.HashMap;

/** How a cluster looks after a switchover that went as it should. */
final class Forward {

  private Forward() {}

  static Topology led(Topology topology, String by) {
    return topology.members().stream()
        .filter(m -> m.name().equals(by))
        .findFirst()
        .map(leader ->
            new Topology(
                topology.clusterId(),
                topology.members().stream().map(m -> after(m, leader)).toList(),
                Fact.known(new Leader(leader.id(), "after " + by + " took over")),
                topology.groups()))
        .orElse(topology);
  }

  private static Member after(Member member, Member leader) {
    boolean leads = member.id().equals(leader.id());
    boolean detached =
        !leads
            && !Series.of(member).flatMap(mine -> Series.of(leader).map(mine::mayFollow)).is(true);
    var readings = new HashMap<>(member.readings());
    readings.put(Readings.READ_ONLY, Fact.known(Boolean.toString(!leads)));
    readings.put(Readings.SOURCE, Fact.known(leads || detached ? "" : leader.name()));
    readings.put(Readings.RUNS, Fact.known(Boolean.toString(!leads && !detached)));
    return new Member(
        member.id(),
        member.name(),
        member.hosts(),
        leads ? Role.LEADER : Role.FOLLOWER,
        Fact.known(
            detached
                ? new Health(false, "replicates from nobody")
                : new Health(true, leads ? "takes writes" : "replicates")),
        member.version(),
        readings);
  }
}
