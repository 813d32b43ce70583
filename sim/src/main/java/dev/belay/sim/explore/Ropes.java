package dev.belay.sim.explore;

import dev.belay.core.plan.Decision;
import dev.belay.core.plan.Step;
import dev.belay.core.snapshot.Memory.Good;
import dev.belay.core.snapshot.Spec.OnFailure;
import dev.belay.core.snapshot.Workload;
import dev.belay.core.snapshot.Workload.Order;
import dev.belay.sim.check.Violation;
import dev.belay.sim.explore.SmallWorld.Phase;
import dev.belay.sim.explore.SmallWorld.Seat;

/** The safety promises on one edge: what Belay is about to do in a world, by the truth of it. */
record Ropes(Terrain terrain) {

  void decided(SmallWorld w, Decision decision) {
    if (decision instanceof Decision.Done) {
      int rest = terrain.policies() ? 0 : Workload.FROZEN;
      if (!w.serves(w.set().template()) || w.set().partition() != rest) {
        // Done with a member down is no claim of completeness where nothing was going on.
        boolean rolling = w.memory().component(Glance.COMPONENT).target().isPresent();
        if (rolling || w.anyOutdated()) {
          throw new Violation("S15", "done, but not every pod is at the target and serves");
        }
      }
    }
  }

  void acts(SmallWorld w, Step step) {
    if (w.wishes().paused() && step instanceof Step.Disruptive) {
      throw new Violation("S11", "\"" + step.what() + "\" although it is paused");
    }
    switch (step) {
      case Step.Release release -> {
        lowers(w, release);
        int i = release.partition();
        if (!w.set().observed()) {
          throw new Violation("S7", step.what() + " before the controller has seen");
        }
        if (w.failed()) {
          throw new Violation("S9", step.what() + " although its revision has failed");
        }
        disrupts(w, i, w.set().template(), step.what());
      }
      case Step.RecreatePod recreate -> recreate(w, recreate);
      case Step.TransferLeader transfer -> {
        if (!w.healthy(Climber.seat(transfer.to()))) {
          throw new Violation("S2", step.what() + ", which is not healthy");
        }
      }
      case Step.Rest rest -> {
        boolean frees = rest.partition() < w.set().partition() && w.anyOutdated();
        if (frees) {
          throw new Violation("S5", step.what() + " while a pod is outdated");
        }
      }
      default -> {}
    }
  }

  /** A write that was held up is not judged by what happened after the look; S5 and S8 are. */
  void arrives(SmallWorld w, Step step) {
    if (step instanceof Step.Release release) {
      lowers(w, release);
    }
  }

  private static void lowers(SmallWorld w, Step.Release release) {
    int freed = 0;
    for (int i = release.partition(); i < w.seats().size(); i++) {
      freed += w.outdated(i) && w.seats().get(i).phase() != Phase.TERMINATING ? 1 : 0;
    }
    if (freed > 1 || release.partition() >= w.set().partition()) {
      throw new Violation("S5", release.what() + " frees " + freed);
    }
  }

  private void recreate(SmallWorld w, Step.RecreatePod recreate) {
    int i = Climber.seat(recreate.pod());
    Seat seat = w.seats().get(i);
    boolean below = i < w.set().partition();
    boolean newest = seat.revision() == w.set().template();
    int goal = below ? w.set().current() : w.set().template();
    boolean asked = w.wishes().rollbacks() > 0 || terrain.onFailure() == OnFailure.ROLLBACK;
    if (below && newest && !asked) {
      throw new Violation("S10", recreate.what() + ", and nobody wants it to go back");
    }
    if (below && !lastGood(w, goal)) {
      throw new Violation("S10", recreate.what() + " brings it to what was not the last good");
    }
    if (!below && newest && (w.wishes().retries() == 0 || seat.phase() != Phase.TROUBLE)) {
      throw new Violation("S9", recreate.what() + ", which already has the new revision");
    }
    if (!below && !newest && w.failed()) {
      throw new Violation("S9", recreate.what() + " although its revision has failed");
    }
    disrupts(w, i, goal, recreate.what());
  }

  /** Recorded as the last good one, and rightly so. */
  boolean lastGood(SmallWorld w, int template) {
    String recorded =
        w.memory().component(Glance.COMPONENT).lastGood().map(Good::revision).orElse("");
    return Terrain.TEMPLATES.get(template).revision().equals(recorded) && w.everGood(template);
  }

  private void disrupts(SmallWorld w, int target, int goal, String what) {
    boolean down = !w.seats().get(target).ready();
    boolean below = w.healthyCount() < terrain.majority();
    boolean hopeless =
        w.seats().get(target).phase() == Phase.TROUBLE
            && !lastGood(w, w.seats().get(target).revision());
    // Below the minimum one that is down may be repaired; one that never served loses nothing.
    if (down && (below || hopeless)) {
      return;
    }
    for (int i = 0; i < w.seats().size(); i++) {
      Seat seat = w.seats().get(i);
      boolean waitsForTarget =
          terrain.order() == Order.ORDERED_READY
              && down
              && i > target
              && seat.phase() == Phase.ABSENT;
      if (i == target || waitsForTarget) {
        continue;
      }
      if (!seat.ready()) {
        String promise = seat.revision() == goal && seat.phase() != Phase.ABSENT ? "S9" : "S3";
        throw new Violation(promise, what + " while db-" + i + " is " + seat.phase());
      }
      if (!w.healthy(i) && !down) {
        throw new Violation("S1", what + " while db-" + i + " is not healthy");
      }
    }
    int remain = w.healthyCount() - (w.healthy(target) ? 1 : 0);
    boolean accepted = terrain.allowDowntime();
    if (remain < terrain.majority() && !down && !accepted) {
      throw new Violation("S1", what + ": " + remain + " voters would remain");
    }
    if (w.leader() == target && !(terrain.replicas() == 1 && accepted)) {
      throw new Violation("S2", what + " although it leads");
    }
  }
}
