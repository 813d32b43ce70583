package dev.belay.sim;

import dev.belay.core.report.Report;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Witness;
import dev.belay.sim.world.ApiServer.Answer;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Lists the steps that reach the world, and passes everything on to the checkers. */
final class StepRecorder implements Witness {

  private final World world;
  private final Witness checkers;
  private final List<StepLine> lines = new ArrayList<>();

  StepRecorder(World world, Witness checkers) {
    this.world = world;
    this.checkers = checkers;
  }

  List<StepLine> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void ended(String instance, Step step, Answer answer) {
    lines.add(new StepLine(world.time.millis(), instance, step, answer));
    checkers.ended(instance, step, answer);
  }

  @Override
  public void sends(String instance, Step step) {
    checkers.sends(instance, step);
  }

  @Override
  public void acts(Deed deed) {
    checkers.acts(deed);
  }

  @Override
  public void recorded(ClusterObject before, Snapshot basis, Report report, Instant looked) {
    checkers.recorded(before, basis, report, looked);
  }

  @Override
  public void broke(String instance, RuntimeException bug) {
    checkers.broke(instance, bug);
  }
}
