package dev.belay.sim.explore;

import dev.belay.core.snapshot.Spec.OnFailure;
import dev.belay.core.snapshot.Workload.Order;
import dev.belay.sim.world.Template;
import java.util.List;

/**
 * What stays the same while one small world is explored.
 *
 * @param policies whether admission freezes template changes; else the set is parked
 * @param changes how often a person may change his mind
 * @param faults how often something may go wrong
 */
public record Terrain(
    int replicas, Order order, boolean policies, OnFailure onFailure, int changes, int faults) {

  /** The templates a person can choose from; the first is the one that runs. */
  static final List<Template> TEMPLATES =
      List.of(new Template("3.5.1", 0), new Template("3.5.2", 0), new Template("3.5.3-crash", 0));

  int majority() {
    return replicas / 2 + 1;
  }

  boolean allowDowntime() {
    return replicas < 3;
  }

  static int indexOf(String revision) {
    for (int i = 0; i < TEMPLATES.size(); i++) {
      if (TEMPLATES.get(i).revision().equals(revision)) {
        return i;
      }
    }
    throw new IllegalArgumentException("no template has the revision " + revision);
  }

  @Override
  public String toString() {
    return "%d %s, %s, onFailure %s, %d changes, %d faults"
        .formatted(
            replicas,
            order == Order.PARALLEL ? "Parallel" : "OrderedReady",
            policies ? "policies" : "parked",
            onFailure == OnFailure.HOLD ? "Hold" : "Rollback",
            changes,
            faults);
  }
}
