package dev.belay.sim.check;

import dev.belay.core.state.Step;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.SetObject;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;

/** On what look a step rests (S7), and how soon it follows what it waited for (L2). */
record Looks(World world, Part part, Asked asked, Turns turns) {

  /** L2: a step follows soon after its last precondition. */
  void prompt(Step step, Instant ready) {
    // Asking a member that stands still takes the driver's time-out, twice.
    int slow = turns.silent() * 2000;
    // Who waits for a person looks at the members every five seconds only.
    slow += asked.waitsForPerson() ? 5000 : 0;
    // A template waits for those of the components before it.
    boolean begins = part.pods().stream().noneMatch(p -> p.revision().equals(part.wanted()));
    slow += begins && part != world.first() ? 5000 : 0;
    Duration allowed = turns.longestProof().plusMillis(1200 + slow);
    // One that hangs counts as down only when its time to become ready is over.
    boolean hangs =
        part.pods().stream().anyMatch(p -> p.name().equals(step.object()) && !p.ready());
    // What was refused again and again is tried every 30 s, and the event that ended it was lost,
    // or told somebody whose view stood still.
    if (!hangs
        && !world.weather.unheard()
        && world.weather.clearFor(Duration.ofSeconds(15))
        && world.time.now().isAfter(ready.plus(allowed))) {
      long late = Duration.between(ready, world.time.now()).toMillis();
      throw new Violation("L2", step.what() + " " + late + " ms after nothing was in the way");
    }
  }

  /** What a cache served is as old as the cache, however short ago it was looked at. */
  static void live(Deed deed) {
    if (deed.asOf().isBefore(deed.looked())) {
      long old = Duration.between(deed.asOf(), deed.looked()).toMillis();
      throw new Violation(
          "S7", "\"" + deed.step().what() + "\" rests on a view that is " + old + " ms old");
    }
  }

  void fresh(Deed deed) {
    if (world.time.now().isAfter(deed.looked().plusMillis(3200))) {
      throw new Violation("S7", "\"" + deed.step().what() + "\" rests on an old look");
    }
    // A pod's fence does not cover the set; what changed after the look, nobody could have known.
    if (unseen(part.store.setAsOf(deed.looked())) && unseen(part.set())) {
      throw new Violation("S7", "\"" + deed.step().what() + "\" before the controller has seen");
    }
  }

  private static boolean unseen(SetObject set) {
    return set.status().observedGeneration() < set.generation();
  }
}
