package dev.belay.sim;

import dev.belay.sim.world.Rng;
import dev.belay.sim.world.Setup;
import java.util.List;

/** All that determines a run: a seed for the chances, what stands there, and what goes wrong. */
public record Scenario(long seed, Setup setup, List<Injection> faults) {

  public Scenario {
    faults = List.copyOf(faults);
  }

  public static Scenario of(long seed) {
    Rng rng = new Rng(seed);
    return new Scenario(
        seed, Setup.random(rng.split("setup")), Injection.random(rng.split("faults")));
  }

  public Scenario with(List<Injection> other) {
    return new Scenario(seed, setup, other);
  }
}
