package dev.belay.sim.check;

import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Forced;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;

/**
 * S9 as far as checks are concerned, and S15: nobody follows to a revision whose check cannot pass,
 * and nobody who serves goes on, and not back, while what is asked before says no.
 */
record Answers(World world, Part part, Truth truth) {

  /** An answer counts for two intervals and a time-out; and it may come late by another one. */
  private static final Duration OLD = Duration.ofSeconds(6);

  /** A member goes to that revision. */
  void check(Deed deed, int ordinal, String goal, String what) {
    if (!part.setup.checks() || !goal.equals(part.wanted())) {
      return;
    }
    boolean follows =
        part.store.podsAsOf(deed.looked()).stream()
            .anyMatch(
                p -> p.ordinal() != ordinal && p.revision().equals(goal) && p.template().odd());
    if (follows) {
      throw new Violation("S9", what + " although the check of a member before it cannot pass");
    }
    Instant since = world.weather.since(Fault.CHECK_SAYS_NO);
    boolean busy = world.busy() && since.isBefore(deed.looked().minus(OLD));
    boolean serves =
        part.pods().stream().anyMatch(p -> p.ordinal() == ordinal && stays(deed.looked(), p));
    boolean back =
        deed.basis()
            .memory()
            .component(part.name())
            .lastGood()
            .filter(g -> g.revision().equals(goal))
            .isPresent();
    if (busy && serves && !back) {
      throw new Violation("S9", what + " although what is asked before says no");
    }
  }

  private boolean stays(Instant looked, PodObject pod) {
    long bit = 1L << (pod.ordinal() - part.setup.firstOrdinal());
    return pod.ready() && (truth.since(looked).everSilent() & bit) == 0;
  }

  /** Called complete; what was forced, or is back, was not asked. */
  void complete(Snapshot basis, ComponentMemory after) {
    boolean forced = basis.memory().forced().filter(Forced::active).isPresent();
    boolean back = after.refused().filter(Refused::withdrawing).isPresent();
    boolean odd = part.pods().stream().anyMatch(p -> p.template().odd());
    if (part.setup.checks() && odd && !forced && !back) {
      throw new Violation("S15", "called complete, but a check cannot pass");
    }
  }
}
