package dev.belay.sim.check;

import dev.belay.core.model.Workload;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.World;
import java.time.Instant;

/** S5: how far down a partition goes at a time, whom it passes by (S13), and at the end (S16). */
record Partitions(World world, Part part, Truth truth, Asked asked) {

  /** Freeze, retract, rest. */
  void check(Deed deed, Step.PartitionWrite write) {
    int before = deed.before().spec().partition();
    if (write.partition() < before) {
      lowers(deed, write);
    } else if (write.partition() != Workload.FROZEN && !(write instanceof Step.Retract)) {
      throw new Violation("S5", write.what() + " raises the partition to " + write.partition());
    }
  }

  /** By one outdated member, the highest; or straight to rest when none is outdated. */
  void lowers(Deed deed, Step.PartitionWrite write) {
    Instant view = Completion.view(world, deed.looked());
    long outdated = truth.since(view).alwaysOutdated() & truth.now().exists();
    int before = Math.min(deed.before().spec().partition(), Long.SIZE - 1);
    long free = outdated & ~((1L << write.partition()) - 1);
    long newly = free & ((1L << before) - 1);
    boolean one = Long.bitCount(free) <= 1 && Long.bitCount(newly) <= 1;
    boolean rests = !(write instanceof Step.Release);
    if (rests ? newly != 0 : !one) {
      long passedBy = rests ? newly : newly & ~(1L << write.partition());
      String skipped = Completion.cameByScaling(part, passedBy) ? "S13" : "S5";
      String promise = asked.deletedBefore(deed.looked()) ? "S16" : skipped;
      throw new Violation(
          promise,
          write.what() + " (partition " + write.partition() + ") frees " + Long.bitCount(newly));
    }
  }
}
