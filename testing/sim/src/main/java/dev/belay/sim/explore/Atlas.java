package dev.belay.sim.explore;

import dev.belay.core.model.Spec.OnFailure;
import dev.belay.core.model.Workload.Order;
import java.util.ArrayList;
import java.util.List;

/** The small worlds worth exploring: every combination of what stands there. */
public final class Atlas {

  private Atlas() {}

  /** One component of each of these sizes. */
  public static List<Terrain> of(List<Integer> replicas, int changes, int faults) {
    return all(replicas.stream().map(List::of).toList(), changes, faults);
  }

  /** Two components, of each two of these sizes. */
  public static List<Terrain> pairs(List<Integer> replicas, int changes, int faults) {
    return all(
        replicas.stream()
            .flatMap(first -> replicas.stream().map(second -> List.of(first, second)))
            .toList(),
        changes,
        faults);
  }

  private static List<Terrain> all(List<List<Integer>> sizes, int changes, int faults) {
    var all = new ArrayList<Terrain>();
    for (List<Integer> n : sizes) {
      for (Order order : Order.values()) {
        for (boolean policies : new boolean[] {true, false}) {
          for (OnFailure onFailure : OnFailure.values()) {
            all.add(new Terrain(n, order, policies, onFailure, changes, faults));
          }
        }
      }
    }
    return all;
  }
}
