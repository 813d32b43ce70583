package dev.belay.sim.differential;

import static dev.belay.sim.differential.Script.CRASHES;
import static dev.belay.sim.differential.Script.FIRST;
import static dev.belay.sim.differential.Script.HANGS;
import static dev.belay.sim.differential.Script.LATER;
import static dev.belay.sim.differential.Script.MISSING;
import static dev.belay.sim.differential.Script.NEXT;

import dev.belay.core.model.Workload;
import dev.belay.core.model.Workload.Order;
import dev.belay.core.model.Workload.Update;
import dev.belay.sim.differential.Script.Act.DeletePod;
import dev.belay.sim.differential.Script.Act.MinReady;
import dev.belay.sim.differential.Script.Act.Partition;
import dev.belay.sim.differential.Script.Act.Recreate;
import dev.belay.sim.differential.Script.Act.Roll;
import dev.belay.sim.differential.Script.Act.Scale;
import dev.belay.sim.differential.Script.Act.Strategy;
import dev.belay.sim.differential.Script.Start;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is played in both worlds; most of it under either order. */
final class Scripts {

  /** Longer than anybody waits: whoever waits for it stands still. */
  private static final int FOR_EVER = 100_000;

  private Scripts() {}

  static List<Script> all() {
    var scripts = new ArrayList<Script>();
    for (Order order : Order.values()) {
      String in = order.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-";
      Start three = Start.of(order, 3);
      scripts.add(Script.of(in + "roll-and-revert", three, new Roll(NEXT), new Roll(FIRST)));
      scripts.add(
          Script.of(
              in + "partition",
              three,
              new Partition(2),
              new Roll(NEXT),
              new DeletePod(0),
              new DeletePod(2),
              new Partition(1),
              new Partition(0)));
      scripts.add(
          Script.of(
              in + "frozen-scale",
              Start.of(order, 2),
              new Partition(Workload.FROZEN),
              new Roll(NEXT),
              new Scale(3),
              new Scale(1),
              new Partition(2),
              new Scale(3)));
      scripts.add(
          Script.of(
              in + "scale", Start.of(order, 1), new Scale(3), new DeletePod(1), new Scale(1)));
      scripts.add(
          Script.of(
              in + "recreate",
              three,
              new Recreate(NEXT, Workload.FROZEN),
              new DeletePod(1),
              new Partition(0)));
      scripts.add(
          Script.of(
              in + "crash-fixed", three, new Roll(CRASHES), new Roll(NEXT), new DeletePod(2)));
      scripts.add(
          Script.of(
              in + "broken-while-frozen",
              three,
              new Partition(2),
              new Roll(HANGS),
              new Partition(Workload.FROZEN),
              new Roll(LATER),
              new DeletePod(2),
              new Partition(2)));
      scripts.add(
          Script.of(
              in + "pull-reverted", three, new Roll(MISSING), new Roll(FIRST), new DeletePod(2)));
      scripts.add(
          Script.of(
              in + "on-delete",
              three,
              new Strategy(Update.ON_DELETE),
              new Roll(NEXT),
              new DeletePod(1),
              new Roll(LATER),
              new DeletePod(0),
              new Strategy(Update.ROLLING_UPDATE)));
      scripts.add(
          Script.of(
              in + "ordinals-start",
              new Start(order, 3, 5, 0),
              new Partition(7),
              new Roll(NEXT),
              new Partition(2),
              new DeletePod(5),
              new Scale(2),
              new Partition(0)));
      scripts.add(
          Script.of(
              in + "min-ready",
              new Start(order, 2, 0, 0),
              new MinReady(FOR_EVER),
              new Roll(NEXT),
              new DeletePod(0),
              new MinReady(0)));
    }
    return scripts;
  }
}
