package dev.belay.sim.check;

import dev.belay.sim.world.Part;
import dev.belay.sim.world.World;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** The client's view of S1: the quorum is never lost on Belay's account. */
final class Quorum {

  private final World world;
  private final Part part;
  private final Truth truth;
  private final Map<Integer, Instant> downSince = new TreeMap<>();
  private final Map<Integer, Instant> upSince = new TreeMap<>();
  private final Map<Integer, Instant> byBelay = new TreeMap<>();
  private boolean quorate = true;

  Quorum(World world, Part part, Truth truth) {
    this.world = world;
    this.part = part;
    this.truth = truth;
  }

  /**
   * Belay takes this member down, on a look that began then; unless it was down at that look. A pod
   * that never joined is no voter yet: taking it down takes none away.
   */
  void disrupted(int ordinal, Instant looked) {
    int index = ordinal - part.setup.firstOrdinal();
    if ((truth.since(looked).alwaysVoters() & (1L << index)) == 0) {
      return;
    }
    Instant down = downSince.get(index);
    boolean up = !upSince.getOrDefault(index, Instant.EPOCH).isAfter(looked);
    if (down == null ? up : down.isAfter(looked)) {
      byBelay.put(index, looked);
    }
  }

  void check() {
    Frame now = truth.now();
    for (int i = 0; i < Long.SIZE; i++) {
      long bit = 1L << i;
      boolean down = (now.voters() & bit) != 0 && (now.voting() & bit) == 0;
      if (down) {
        downSince.putIfAbsent(i, world.time.now());
      } else if (downSince.remove(i) != null) {
        upSince.put(i, world.time.now());
      }
      // In a batch the next one may go as soon as the system counts on this one again.
      boolean batches = part.setup.rollout().maxUnavailable() > 1;
      if ((now.healthy() & bit) != 0
          && ((now.ready() & bit) != 0 || batches)
          && (now.terminating() & bit) == 0) {
        byBelay.remove(i);
      }
    }
    boolean had = quorate;
    quorate = Long.bitCount(now.voting()) >= part.raft.majority();
    if (had && !quorate && part.setup.hasMembers()) {
      blame(now);
    }
  }

  /** Lost: would it be there but for Belay, given what was down before Belay looked? */
  private void blame(Frame now) {
    int size = Long.bitCount(now.voters());
    boolean accepted = size < 3;
    long belay = downSince.keySet().stream().filter(byBelay::containsKey).count();
    long before =
        downSince.entrySet().stream()
            .filter(e -> !byBelay.containsKey(e.getKey()))
            .filter(
                e -> byBelay.values().stream().anyMatch(looked -> e.getValue().isBefore(looked)))
            .count();
    boolean outsideAlone = size - (downSince.size() - belay) < part.raft.majority();
    if (!accepted && !outsideAlone && size - before - belay < part.raft.majority()) {
      throw new Violation(
          "S1",
          "the quorum is lost: " + belay + " by Belay, " + before + " known to be down before");
    }
  }
}
