package dev.belay.sim.explore;

import dev.belay.core.model.Spec.OnFailure;
import dev.belay.core.model.Workload;
import dev.belay.core.model.Workload.Order;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Step;
import dev.belay.sim.check.Violation;
import dev.belay.sim.explore.SmallWorld.Phase;
import dev.belay.sim.explore.SmallWorld.Seat;

/** The safety promises on one edge: what Belay is about to do in a world, by the truth of it. */
record Ropes(Terrain terrain) {

  void decided(SmallWorld w, Decision decision) {
    if (decision instanceof Decision.Done) {
      int rest = terrain.policies() ? 0 : Workload.FROZEN;
      for (int at = 0; at < w.places().size(); at++) {
        Place p = w.place(at);
        // Done with a member down is no claim of completeness where nothing was going on.
        boolean rolling = w.memory().component(Terrain.name(at)).target().isPresent();
        boolean claims = rolling || p.anyOutdated();
        if (claims && (!p.serves(p.set().template()) || p.set().partition() != rest)) {
          throw new Violation("S15", "done, but not every pod is at the target and serves");
        }
      }
    }
  }

  void acts(SmallWorld w, Step step) {
    if (w.wishes().paused() && step instanceof Step.Disruptive) {
      throw new Violation("S11", "\"" + step.what() + "\" although it is paused");
    }
    Place place = w.place(Climber.place(step));
    switch (step) {
      case Step.Release release -> {
        lowers(place, release);
        if (!place.set().observed()) {
          throw new Violation("S7", step.what() + " before the controller has seen");
        }
        if (place.failed()) {
          throw new Violation("S9", step.what() + " although its revision has failed");
        }
        disrupts(w, step, release.partition(), place.set().template());
      }
      case Step.RecreatePod recreate -> recreate(w, recreate);
      case Step.TransferLeader transfer -> {
        if (!place.healthy(Climber.seat(transfer.to()))) {
          throw new Violation("S2", step.what() + ", which is not healthy");
        }
      }
      case Step.Rest rest -> {
        boolean frees = rest.partition() < place.set().partition() && place.anyOutdated();
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
      lowers(w.place(Climber.place(step)), release);
    }
  }

  private static void lowers(Place p, Step.Release release) {
    int freed = 0;
    for (int i = release.partition(); i < p.seats().size(); i++) {
      freed += p.outdated(i) && p.seats().get(i).phase() != Phase.TERMINATING ? 1 : 0;
    }
    if (freed > 1 || release.partition() >= p.set().partition()) {
      throw new Violation("S5", release.what() + " frees " + freed);
    }
  }

  private void recreate(SmallWorld w, Step.RecreatePod recreate) {
    int at = Climber.place(recreate);
    Place p = w.place(at);
    int i = Climber.seat(recreate.pod());
    Seat seat = p.seats().get(i);
    boolean below = i < p.set().partition();
    boolean newest = seat.revision() == p.set().template();
    int goal = below ? p.set().current() : p.set().template();
    boolean asked = w.wishes().rollbacks() > 0 || terrain.onFailure() == OnFailure.ROLLBACK;
    if (below && newest && !asked) {
      throw new Violation("S10", recreate.what() + ", and nobody wants it to go back");
    }
    if (below && !lastGood(w, at, goal)) {
      throw new Violation("S10", recreate.what() + " brings it to what was not the last good");
    }
    if (!below && newest && (w.wishes().retries() == 0 || seat.phase() != Phase.TROUBLE)) {
      throw new Violation("S9", recreate.what() + ", which already has the new revision");
    }
    if (!below && !newest && p.failed()) {
      throw new Violation("S9", recreate.what() + " although its revision has failed");
    }
    disrupts(w, recreate, i, goal);
  }

  /** Recorded as the last good one, and rightly so. */
  static boolean lastGood(SmallWorld w, int place, int template) {
    String recorded =
        w.memory().component(Terrain.name(place)).lastGood().map(Good::revision).orElse("");
    return Terrain.template(place, template).revision().equals(recorded)
        && w.place(place).everGood(template);
  }

  private void disrupts(SmallWorld w, Step step, int target, int goal) {
    int at = Climber.place(step);
    Place p = w.place(at);
    boolean down = !p.seats().get(target).ready();
    boolean below = p.healthyCount() < p.majority();
    boolean hopeless =
        p.seats().get(target).phase() == Phase.TROUBLE
            && !lastGood(w, at, p.seats().get(target).revision());
    if (!hopeless) {
      inTurn(w, step, goal);
    }
    // Below the minimum one that is down may be repaired; one that never served loses nothing.
    if (down && (below || hopeless)) {
      return;
    }
    for (int other = 0; other < w.places().size(); other++) {
      if (other != at) {
        allUp(w.place(other), Terrain.name(other), step.what());
      }
    }
    othersUp(p, target, goal, down, step);
    int remain = p.healthyCount() - (p.healthy(target) ? 1 : 0);
    boolean accepted = terrain.allowDowntime(at);
    if (remain < p.majority() && !down && !accepted) {
      throw new Violation("S1", step.what() + ": " + remain + " voters would remain");
    }
    if (p.leader() == target && !(p.seats().size() == 1 && accepted)) {
      throw new Violation("S2", step.what() + " although it leads");
    }
  }

  private void othersUp(Place p, int target, int goal, boolean down, Step step) {
    for (int i = 0; i < p.seats().size(); i++) {
      Seat seat = p.seats().get(i);
      boolean waitsForTarget =
          terrain.order() == Order.ORDERED_READY
              && down
              && i > target
              && seat.phase() == Phase.ABSENT;
      if (i == target || waitsForTarget) {
        continue;
      }
      String which = Glance.pod(Climber.place(step), i);
      if (!seat.ready()) {
        String promise = seat.revision() == goal && seat.phase() != Phase.ABSENT ? "S9" : "S3";
        throw new Violation(promise, step.what() + " while " + which + " is " + seat.phase());
      }
      if (!p.healthy(i) && !down) {
        throw new Violation("S1", step.what() + " while " + which + " is not healthy");
      }
    }
  }

  private static void allUp(Place other, String name, String what) {
    if (other.readyCount() < other.seats().size()) {
      throw new Violation("S3", what + " while a member of " + name + " is down");
    }
  }

  /** S4: forward only when those before it are there, back only when those after it are back. */
  private void inTurn(SmallWorld w, Step step, int goal) {
    int at = Climber.place(step);
    boolean forward = goal == w.place(at).set().template() && !lastGood(w, at, goal);
    for (int other = 0; other < w.places().size(); other++) {
      Place o = w.place(other);
      boolean rests =
          (w.wishes().rollbacks() > 0 || terrain.onFailure() == OnFailure.ROLLBACK)
              && o.seats().stream().allMatch(s -> s.revision() == o.set().current());
      boolean there = !o.anyOutdated() && o.everGood(o.set().template());
      if (forward && other < at && !there && !rests) {
        throw new Violation("S4", step.what() + " before " + Terrain.name(other) + " is there");
      }
    }
  }
}
