package dev.belay.sim.check;

import dev.belay.core.report.Report;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.Part;

/**
 * Whether a component is wholly there: since its template was written, every member has served at
 * it at one moment. A member that fails later does not change that.
 */
final class Whole {

  private final Part part;
  private String revision = "";
  private boolean there;

  Whole(Part part) {
    this.part = part;
  }

  /** After every event. */
  void update() {
    if (!part.wanted().equals(revision)) {
      revision = part.wanted();
      there = false;
    }
    there = there || serves();
  }

  private boolean serves() {
    long serving =
        part.pods().stream()
            .filter(p -> p.ready() && !p.terminating() && p.revision().equals(revision))
            .filter(p -> !part.setup.hasMembers() || part.raft.healthy(p.ordinal()))
            .count();
    return serving >= part.set().spec().replicas() && part.outdated().isEmpty();
  }

  /** What Belay calls complete S15 judges, and what Belay adopts it takes as it is. */
  void recorded(Snapshot basis, Report report) {
    ComponentMemory before = basis.memory().component(part.name());
    ComponentMemory after = report.memory().component(part.name());
    boolean completes = before.target().isPresent() && after.target().isEmpty();
    boolean adopts = after.adopted() && !before.adopted();
    update();
    there = there || completes || adopts;
  }

  /** A template that was written after the look, nobody could have known. */
  boolean isThere(Deed deed) {
    update();
    String then = part.store.setAsOf(deed.looked()).spec().template().revision();
    return there || !then.equals(revision);
  }
}
