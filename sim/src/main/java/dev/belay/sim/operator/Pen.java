package dev.belay.sim.operator;

import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Recorded;
import dev.belay.core.report.Report;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.sim.world.ApiServer.Answer;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Fault;
import java.util.Optional;

/** Record: one status write that carries the resourceVersion of the snapshot. */
final class Pen implements Loop.Recorder {

  private final Process process;
  private final Witness witness;
  private int writes;

  Pen(Process process, Witness witness) {
    this.process = process;
    this.witness = witness;
  }

  int writes() {
    return writes;
  }

  @Override
  public Recorded record(Snapshot basis, Report report) {
    process.reach(Process.Point.BEFORE_RECORD);
    Optional<Report> known = process.world.api.cluster().flatMap(ClusterObject::status);
    if (known.filter(report::equals).isPresent()) {
      return Recorded.UNCHANGED;
    }
    process.takesTime(1, 8);
    if (process.fails()) {
      return Recorded.CONFLICT;
    }
    Answer answer = process.world.api.writeClusterStatus(basis.subject().resourceVersion(), report);
    if (answer != Answer.OK) {
      return Recorded.CONFLICT;
    }
    writes++;
    process.say(
        "records "
            + report.phase()
            + report.memory().step().map(s -> ", step " + s.id() + " " + s.what()).orElse("")
            + report.blockedBy().map(b -> ", " + b.rule() + ": " + b.reading()).orElse(""));
    witness.recorded(process.self.instance(), basis, report, process.looked);
    process.reach(Process.Point.AFTER_RECORD);
    if (process.world.weather.argument(Fault.REPLY_LOST) % 2 == 0
        && process.world.weather.strikes(Fault.REPLY_LOST)) {
      return Recorded.CONFLICT;
    }
    process.takesTime(0, 4);
    return Recorded.WRITTEN;
  }
}
