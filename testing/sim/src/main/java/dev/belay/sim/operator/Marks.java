package dev.belay.sim.operator;

import dev.belay.core.guard.Mark;
import dev.belay.core.guard.Mark.Stamp;
import dev.belay.core.model.Among;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.world.ApiServer;
import dev.belay.sim.world.ApiServer.Answer;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.SetObject;
import java.util.Map;
import java.util.Optional;

/**
 * The mark of the recorded owner on each workload, written as the operator's WorkloadMarks writes
 * it: before anything is decided, in the state that was read.
 */
final class Marks {

  private final Instance instance;
  private int writes;

  Marks(Instance instance) {
    this.instance = instance;
  }

  int writes() {
    return writes;
  }

  /**
   * Marks the workloads that were read, when this process is the owner.
   *
   * @return whether anything was written, so that the observation is outdated
   */
  boolean keep(ClusterObject cluster, Map<String, SetObject> sets) {
    Optional<Owner> owner = cluster.owner().filter(instance::is);
    boolean written = false;
    if (owner.isPresent()) {
      for (Part part : instance.world.parts()) {
        Optional<SetObject> set = Optional.ofNullable(sets.get(part.name()));
        written |= set.isPresent() && keep(part, cluster, owner.get(), set.get());
      }
    }
    return written;
  }

  /** Whether every workload that was read carries the stamp of this process as the owner. */
  boolean complete(Snapshot seen, Map<String, SetObject> sets) {
    Optional<Owner> owner = seen.memory().owner().filter(instance::is);
    return owner
        .filter(o -> sets.values().stream().map(SetObject::mark).allMatch(mark(o)::equals))
        .isPresent();
  }

  private boolean keep(Part part, ClusterObject cluster, Owner owner, SetObject set) {
    Mark before = set.mark();
    if (before.equals(mark(owner))) {
      return false;
    }
    long found = before.present() ? before.stamp().map(Stamp::epoch).orElse(-1L) : -1;
    return found >= owner.epoch()
        ? raise(cluster, found + 1)
        : write(part, set, mark(owner)) == Answer.OK;
  }

  /** A stamp that is as high as ours: the epoch rises above it. */
  private boolean raise(ClusterObject cluster, long epoch) {
    Report status = cluster.status().orElseThrow();
    Answer answer =
        instance.fails()
            ? Answer.UNAVAILABLE
            : instance.world.api.writeClusterStatus(
                Long.toString(cluster.version()), at(status, epoch));
    writes += answer == Answer.OK ? 1 : 0;
    instance.say("raises its epoch to " + epoch + " → " + answer);
    return answer == Answer.OK;
  }

  private static Report at(Report r, long epoch) {
    Memory m = r.memory();
    Optional<Owner> owner =
        m.owner()
            .map(o ->
                new Owner(o.install(), o.instance(), o.account(), epoch, o.lease(), o.released()));
    return new Report(
        r.phase(),
        r.currentVersion(),
        r.targetVersion(),
        r.components(),
        r.blockedBy(),
        r.waitingFor(),
        r.wayBack(),
        r.conditions(),
        new Memory(
            owner,
            m.step(),
            m.steps(),
            m.components(),
            m.blocked(),
            m.handled(),
            m.forced(),
            m.run(),
            m.history()));
  }

  /** The StatefulCluster is gone: so are its marks. A label without an owner is nobody's. */
  void sweep() {
    for (Part part : instance.world.parts()) {
      Mark mark = part.set().mark();
      if (isOurs(part) || (mark.present() && mark.owner().isEmpty())) {
        write(part, part.set(), Mark.NONE);
      }
    }
  }

  /** Every mark of this account is removed, and nothing else is touched. */
  void uninstall() {
    for (Part part : instance.world.parts()) {
      if (isOurs(part)) {
        write(part, part.set(), Mark.NONE);
      }
    }
  }

  /** Whether a mark of this account is left. */
  boolean areLeft() {
    return Among.any(instance.world.parts(), this::isOurs);
  }

  private boolean isOurs(Part part) {
    String account = instance.install.account();
    return part.store.exists()
        && part.set().mark().stamp().filter(s -> s.account().equals(account)).isPresent();
  }

  private Answer write(Part part, SetObject set, Mark mark) {
    instance.takesTime(1, 4);
    Answer answer =
        instance.fails()
            ? Answer.UNAVAILABLE
            : part.store.writeMark(instance.install, set.fence(), mark);
    writes += answer == Answer.OK ? 1 : 0;
    String stamp = mark.owner().map(o -> "marks with " + o).orElse("removes the mark of");
    instance.say(stamp + " " + part.name() + " → " + answer);
    return answer;
  }

  private static Mark mark(Owner owner) {
    return Mark.of(ApiServer.CLUSTER, new Stamp(owner.epoch(), owner.account()));
  }
}
