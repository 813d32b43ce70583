package dev.belay.sim.check;

import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload.Order;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import java.time.Instant;

/**
 * S1, S2, S3 and S9 for one member that is about to be taken down.
 *
 * @param settled the last revision that Belay called complete, which S15 judges
 * @param goal the revision the members are going to
 */
record Disruption(Part part, Truth truth, Spec.Rollout rollout, String settled, String goal) {

  /**
   * Judges taking down the member at {@code index}.
   *
   * @param looked when the last look began
   * @param elsewhere how many are down in other components
   */
  void check(int index, Instant looked, int elsewhere, String what) {
    Truth.Window window = truth.since(looked);
    long self = 1L << index;
    long set = (1L << Turns.replicas(part, looked)) - 1;
    if (repairs(window, self, looked)) {
      return;
    }
    onlyOne(window, set & ~self & ~waitingFor(self), elsewhere, what);
    if (part.setup.hasMembers()) {
      quorum(window, self, what);
      leader(window, self, what);
    }
    if (window.budgetAlwaysSpent() && (window.alwaysReady() & self) != 0) {
      throw new Violation("S3", what + " although the PodDisruptionBudget allows nothing");
    }
  }

  /**
   * A group that is below its minimum may be repaired by replacing a member that cannot come up;
   * and whoever is stuck on a revision that never was good has nothing to lose.
   */
  private boolean repairs(Truth.Window window, long self, Instant looked) {
    boolean down =
        !part.setup.hasMembers() || (window.everSilent() & self) != 0 || neverCameUp(self, looked);
    boolean broken =
        part.pods().stream()
            .filter(p -> 1L << (p.ordinal() - part.setup.firstOrdinal()) == self)
            .anyMatch(p -> !p.revision().equals(settled) || p.state().trouble().isPresent());
    boolean below = window.fewestHealthy() < part.raft.majority();
    return down && ((part.setup.hasMembers() && broken && below) || hopeless(self));
  }

  /** It runs, for longer than it may take, and was never ready: nobody loses anything by it. */
  private boolean neverCameUp(long self, Instant looked) {
    Instant late = looked.minus(rollout.readyTimeout());
    return part.pods().stream()
        .filter(p -> 1L << (p.ordinal() - part.setup.firstOrdinal()) == self)
        .anyMatch(
            p -> !p.ready() && p.state().since().equals(p.created()) && p.created().isBefore(late));
  }

  /** How many of a batch may be down beside this one. */
  private int slack() {
    return rollout.maxUnavailable() - 1;
  }

  boolean hopeless(long self) {
    return part.pods().stream()
        .filter(p -> 1L << (p.ordinal() - part.setup.firstOrdinal()) == self)
        .anyMatch(
            p -> !p.ready() && p.state().trouble().isPresent() && !p.revision().equals(settled));
  }

  private boolean isOffTheGood(long self) {
    return part.pods().stream()
        .filter(p -> 1L << (p.ordinal() - part.setup.firstOrdinal()) == self)
        .anyMatch(p -> !p.ready() && !p.revision().equals(settled));
  }

  /** Stuck, and a healthy member runs what it is taken to. */
  private boolean joinsTheHealthy(long self) {
    long healthy = truth.now().healthy() & arrived();
    return healthy != 0
        && part.pods().stream()
            .filter(p -> 1L << (p.ordinal() - part.setup.firstOrdinal()) == self)
            .anyMatch(p -> !p.ready() && p.state().trouble().isPresent());
  }

  /** With OrderedReady, pods above one that is not ready do not exist because of it. */
  private long waitingFor(long self) {
    boolean ordered = part.set().spec().order() == Order.ORDERED_READY;
    boolean unready = (truth.now().ready() & self) == 0;
    return ordered && unready ? ~(self | (self - 1)) & ~truth.now().exists() : 0;
  }

  private void onlyOne(Truth.Window window, long others, int elsewhere, String what) {
    long missing = others & ~(window.everExisted() & window.everNotTerminating());
    if (Long.bitCount(missing) > slack()) {
      throw new Violation("S3", what + " while " + names(missing) + " is missing or terminating");
    }
    long updated = others & arrived();
    long failed = updated & ~window.everReady();
    if (Long.bitCount(failed) > slack()) {
      throw new Violation("S9", what + " while the updated " + names(failed) + " is not ready");
    }
    if (Long.bitCount(missing | failed) > slack()) {
      throw new Violation("S3", what + " while " + names(missing | failed) + " are down for it");
    }
    long down = others & (missing | ~window.everAvailable());
    int allowed = rollout.tolerateUnhealthy() + slack();
    if (Long.bitCount(down) > allowed) {
      throw new Violation("S3", what + " while " + names(down) + " is not available");
    }
    if (Long.bitCount(down) + elsewhere > allowed) {
      throw new Violation("S3", what + " while " + elsewhere + " are down in other components");
    }
    long leaving = others & window.alwaysLeaving();
    if (leaving != 0) {
      throw new Violation("S3", what + " while the node of " + names(leaving) + " is leaving");
    }
  }

  private long arrived() {
    long bits = 0;
    for (PodObject p : part.pods()) {
      bits |= p.revision().equals(goal) ? 1L << (p.ordinal() - part.setup.firstOrdinal()) : 0;
    }
    return bits;
  }

  private void quorum(Truth.Window window, long self, String what) {
    long voters = window.alwaysVoters();
    int size = Long.bitCount(voters);
    int required = size / 2 + 1;
    long others = voters & ~self;
    // Who is going already does not count as staying: of a batch, each must leave enough behind.
    long staying = others & window.everHealthy() & window.everNotTerminating();
    int remain = Long.bitCount(staying);
    boolean alreadyDown = (window.everSilent() & self) != 0;
    boolean accepted = size - 1 < required && rollout.allowDowntime();
    if (remain < required && !alreadyDown && !accepted) {
      throw new Violation("S1", what + ": " + remain + " of " + size + " voters would remain");
    }
    // Made anew at what it ran, taken off what never was good, or stuck and taken to what a healthy
    // member runs, it is the cure of those that wait for it.
    boolean cures = goal.equals(settled) || isOffTheGood(self) || joinsTheHealthy(self);
    long cured = alreadyDown && cures ? waitingFor(self) : 0;
    long unhealthy = others & ~window.everHealthy() & ~cured;
    if (Long.bitCount(unhealthy) > rollout.tolerateUnhealthy() + slack()) {
      throw new Violation("S1", what + " while " + names(unhealthy) + " is not healthy");
    }
  }

  private void leader(Truth.Window window, long self, String what) {
    boolean alreadyDown = (window.everSilent() & self) != 0;
    boolean anotherLed = (window.leadersSeen() & ~self) != 0;
    boolean alone = Long.bitCount(truth.now().voters()) == 1;
    if (!alreadyDown && !anotherLed && !(alone && rollout.allowDowntime())) {
      throw new Violation("S2", what + " although it leads");
    }
  }

  private String names(long bits) {
    var text = new StringBuilder();
    for (int i = 0; i < Long.SIZE; i++) {
      if ((bits & (1L << i)) != 0) {
        text.append(text.isEmpty() ? "" : ", ")
            .append(part.set().podName(i + part.setup.firstOrdinal()));
      }
    }
    return text.toString();
  }
}
