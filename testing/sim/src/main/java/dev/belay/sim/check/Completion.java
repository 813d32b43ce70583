package dev.belay.sim.check;

import dev.belay.core.model.Among;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Refused;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.World;
import java.time.Instant;

/**
 * S15, and S10 on the way back: what is called complete is so, of those who came midway (S13) too.
 */
record Completion(World world, Part part, Truth truth) {

  void check(ComponentMemory after, Instant looked) {
    // Where another template took it back, the members go forward to that one, once it is seen.
    String seen = part.store.setAsOf(view(world, looked)).spec().template().revision();
    boolean back =
        after
            .refused()
            .filter(Refused::withdrawing)
            .filter(r -> r.revision().equals(part.wanted()) || r.revision().equals(seen))
            .isPresent();
    Truth.Window window = truth.since(view(world, looked));
    // Who came by scaling only after the look, nobody could have known.
    int replicas =
        Math.min(
            part.set().spec().replicas(),
            part.store.setAsOf(view(world, looked)).spec().replicas());
    long all = (1L << replicas) - 1;
    boolean members = !part.setup.hasMembers() || (all & ~window.everHealthy()) == 0;
    boolean forward = (window.alwaysOutdated() & truth.now().exists()) == 0;
    // Taken back by another template, that one is where everybody shall be.
    boolean elsewhere = back ? !allBack(looked) && !(forward && isRewritten(after)) : !forward;
    if (elsewhere || (all & ~window.everReady()) != 0 || !members) {
      long left = window.alwaysOutdated() & truth.now().exists();
      String promise = back ? "S10" : cameByScaling(part, left) ? "S13" : "S15";
      throw new Violation(promise, "called complete, but not every pod is where it shall be");
    }
  }

  /** Whether they are some, and none of them was there when the set was adopted. */
  static boolean cameByScaling(Part part, long members) {
    return members != 0 && (members & ((1L << part.setup.replicas()) - 1)) == 0;
  }

  private boolean isRewritten(ComponentMemory after) {
    return after.refused().filter(r -> r.revision().equals(part.wanted())).isEmpty();
  }

  private boolean allBack(Instant looked) {
    String current = part.store.setAsOf(view(world, looked)).status().currentRevision();
    return part.store.podsAsOf(view(world, looked)).stream()
            .allMatch(p -> p.revision().equals(current))
        || Among.all(part.pods(), p -> p.revision().equals(current))
        || knowsNoOther();
  }

  /** The set calls the newest revision complete: there is nothing that anybody could go back to. */
  private boolean knowsNoOther() {
    String current = part.set().status().currentRevision();
    return Among.all(part.pods(), p -> p.revision().equals(current));
  }

  /** The oldest thing a look that began now may have seen. */
  static Instant view(World world, Instant looked) {
    Instant oldest = looked.minusMillis(40);
    for (Fault fault : new Fault[] {Fault.STALE_PODS, Fault.STALE_SET, Fault.STALE_CLUSTER}) {
      Instant still = world.weather.standsStill(fault).orElse(oldest);
      oldest = still.isBefore(oldest) ? still : oldest;
    }
    return oldest;
  }
}
