package dev.belay.sim.operator;

import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Recorded;
import dev.belay.core.report.Report;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.world.ApiServer.Answer;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Fault;
import java.util.Optional;

/** Record: one status write that carries the resourceVersion of the snapshot. */
final class Pen implements Loop.Recorder {

  private final Instance instance;
  private final Witness witness;
  private int writes;

  Pen(Instance instance, Witness witness) {
    this.instance = instance;
    this.witness = witness;
  }

  int writes() {
    return writes;
  }

  @Override
  public Recorded record(Snapshot basis, Report report) {
    instance.reach(Instance.Point.BEFORE_RECORD);
    instance.pauses(0);
    boolean unchanged =
        instance
            .world
            .api
            .cluster()
            .filter(c -> Long.toString(c.version()).equals(basis.subject().resourceVersion()))
            .flatMap(ClusterObject::status)
            .filter(report::equals)
            .isPresent();
    if (unchanged) {
      return Recorded.UNCHANGED;
    }
    instance.takesTime(1, 8);
    if (instance.fails()) {
      throw new Unreadable("503");
    }
    Optional<ClusterObject> before = instance.world.api.cluster();
    Answer answer =
        instance.world.api.writeClusterStatus(basis.subject().resourceVersion(), report);
    if (answer != Answer.OK) {
      return Recorded.CONFLICT;
    }
    writes++;
    instance.say(
        "records "
            + report.phase()
            + report.memory().step().map(s -> ", step " + s.id() + " " + s.what()).orElse("")
            + report.blockedBy().map(b -> ", " + b.rule() + ": " + b.reading()).orElse(""));
    witness.recorded(before.orElseThrow(), basis, report, instance.looked);
    instance.reach(Instance.Point.AFTER_RECORD);
    if (instance.world.weather.argument(Fault.REPLY_LOST) % 2 == 0
        && instance.world.weather.strikes(Fault.REPLY_LOST)) {
      return Recorded.CONFLICT;
    }
    instance.takesTime(0, 4);
    return Recorded.WRITTEN;
  }
}
