package dev.belay.sim.check;

import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Memory.Refused;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.World;
import java.time.Instant;

/** S15, and S10 on the way back: what is called complete is so. */
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
    long all = (1L << part.set().spec().replicas()) - 1;
    boolean members = !part.setup.hasMembers() || (all & ~window.everHealthy()) == 0;
    boolean forward = (window.alwaysOutdated() & truth.now().exists()) == 0;
    // Taken back by another template, that one is where everybody shall be.
    boolean elsewhere = back ? !allBack(looked) && !(forward && isRewritten(after)) : !forward;
    if (elsewhere || (all & ~window.everReady()) != 0 || !members) {
      throw new Violation(
          back ? "S10" : "S15", "called complete, but not every pod is where it shall be");
    }
  }

  private boolean isRewritten(ComponentMemory after) {
    return after.refused().filter(r -> r.revision().equals(part.wanted())).isEmpty();
  }

  private boolean allBack(Instant looked) {
    String current = part.store.setAsOf(view(world, looked)).status().currentRevision();
    return part.store.podsAsOf(view(world, looked)).stream()
            .allMatch(p -> p.revision().equals(current))
        || part.pods().stream().allMatch(p -> p.revision().equals(current));
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
