package dev.belay.sim.check;

import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.Raft.Voter;
import dev.belay.sim.world.World;
import java.time.Instant;

/**
 * The truth at one moment; a bit per index of the set (ordinal minus ordinals.start).
 *
 * @param unwell who is cut off and, from the other end, whose pod is in trouble
 */
record Frame(
    Instant at,
    int leader,
    long voters,
    long healthy,
    long voting,
    long exists,
    long terminating,
    long ready,
    long available,
    long outdated,
    long leaving,
    long held,
    long unwell,
    int floor,
    boolean budgetSpent) {

  static Frame of(World world, Part part) {
    int first = part.setup.firstOrdinal();
    long voters = 0;
    long healthy = 0;
    long voting = 0;
    long cut = 0;
    for (Voter v : part.raft.voters()) {
      long bit = 1L << (v.ordinal - first);
      voters |= bit;
      healthy |= part.raft.healthy(v.ordinal) ? bit : 0;
      voting |= v.votes() ? bit : 0;
      cut |= v.cut ? bit : 0;
    }
    long exists = 0;
    long terminating = 0;
    long ready = 0;
    long available = 0;
    long outdated = 0;
    long leaving = 0;
    long held = 0;
    long troubled = 0;
    String wanted = part.set().spec().template().revision();
    for (PodObject p : part.pods()) {
      long bit = 1L << (p.ordinal() - first);
      exists |= bit;
      terminating |= p.terminating() ? bit : 0;
      ready |= p.ready() ? bit : 0;
      available |= part.available(p, world.time.now()) ? bit : 0;
      outdated |= p.revision().equals(wanted) ? 0 : bit;
      leaving |= part.kubelet.leaving(p.ordinal()).isPresent() ? bit : 0;
      held |= p.state().held() ? bit : 0;
      troubled |= p.state().trouble().isPresent() ? bit : 0;
    }
    int leads = part.raft.leader() < 0 ? -1 : part.raft.leader() - first;
    boolean spent = world.weather.holds(Fault.BUDGET_EXHAUSTED);
    return new Frame(
        world.time.now(),
        leads,
        voters,
        healthy,
        voting,
        exists,
        terminating,
        ready,
        available,
        outdated,
        leaving,
        held,
        cut ^ Long.reverse(troubled),
        part.raft.clusterMinor(),
        spent);
  }

  boolean sameAs(Frame o) {
    return leader == o.leader
        && voters == o.voters
        && healthy == o.healthy
        && voting == o.voting
        && exists == o.exists
        && terminating == o.terminating
        && ready == o.ready
        && available == o.available
        && outdated == o.outdated
        && leaving == o.leaving
        && held == o.held
        && unwell == o.unwell
        && floor == o.floor
        && budgetSpent == o.budgetSpent;
  }
}
