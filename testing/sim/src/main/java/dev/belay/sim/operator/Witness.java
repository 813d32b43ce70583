package dev.belay.sim.operator;

import dev.belay.core.report.Report;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.world.ApiServer.Answer;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.SetObject;
import java.time.Instant;

/** Told of everything an operator does to the world, at the moment it takes effect. */
public interface Witness {

  /**
   * An effect that the world accepted.
   *
   * @param looked when the sender began the look it decided on
   * @param asOf the oldest moment that look showed anything of
   * @param suspended whether the sender stood still, or the network held the write, after the last
   *     moment at which the sender could have changed its mind
   */
  record Deed(
      String instance,
      Snapshot basis,
      Step step,
      SetObject before,
      Instant looked,
      Instant asOf,
      boolean suspended) {}

  /** Before the world decides whether it accepts the effect. */
  void sends(String instance, Step step);

  /** Just before the effect. */
  void acts(Deed deed);

  /**
   * A status that was written.
   *
   * @param before the StatefulCluster in the state in which it was overwritten
   */
  void recorded(ClusterObject before, Snapshot basis, Report report, Instant looked);

  /** How a step ended: one that was sent, or one that only had to be written down. */
  void ended(String instance, Step step, Answer answer);

  /** A decision that could not be taken because the code broke. */
  void broke(String instance, RuntimeException bug);
}
