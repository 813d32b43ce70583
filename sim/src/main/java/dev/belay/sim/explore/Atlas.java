package dev.belay.sim.explore;

import dev.belay.core.snapshot.Spec.OnFailure;
import dev.belay.core.snapshot.Workload.Order;
import java.util.ArrayList;
import java.util.List;

/** The small worlds worth exploring: every combination of what stands there. */
public final class Atlas {

  private Atlas() {}

  public static List<Terrain> of(List<Integer> replicas, int changes, int faults) {
    var all = new ArrayList<Terrain>();
    for (int n : replicas) {
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
