package dev.belay.sim;

import dev.belay.sim.world.Fault;
import dev.belay.sim.world.PartSetup;
import dev.belay.sim.world.Rng;
import dev.belay.sim.world.Setup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** All that determines a run: a seed for the chances, what stands there, and what goes wrong. */
public record Scenario(long seed, Setup setup, List<Injection> faults) {

  public Scenario {
    faults = List.copyOf(faults);
  }

  public static Scenario of(long seed) {
    Rng rng = new Rng(seed);
    Setup setup = Setup.random(rng.split("setup"));
    var faults = new ArrayList<>(Injection.random(rng.split("faults")));
    faults.addAll(rare(setup, rng.split("rare")));
    faults.addAll(Injection.handovers(rng.split("handovers")));
    faults.sort(Comparator.comparing(Injection::at));
    return new Scenario(seed, setup, faults);
  }

  /** What only few worlds can meet would be met too rarely by chance alone. */
  private static List<Injection> rare(Setup setup, Rng rng) {
    var faults = new ArrayList<Injection>();
    if (setup.parts().stream().anyMatch(PartSetup::checks) && rng.chance(50)) {
      faults.add(
          new Injection(rng.millis(0, 15_000), Fault.CHECK_SAYS_NO, 0, rng.millis(10_000, 30_000)));
    }
    if (setup.parts().stream().anyMatch(PartSetup::isDeployment) && rng.chance(50)) {
      faults.add(
          new Injection(
              rng.millis(5_000, 45_000), Fault.USER_BROKEN_TEMPLATE, 0, Duration.ofSeconds(1)));
    }
    return faults;
  }

  /** Whether another install stands beside the first. */
  public boolean hasTwoInstalls() {
    return faults.stream().map(Injection::fault).anyMatch(Fault::needsTwoInstalls);
  }

  /** The command that runs it again; empty where its seed alone would give another run. */
  public String replay() {
    return equals(of(seed)) ? "bin/belay-sim run --seed " + seed + " --trace" : "";
  }

  public Scenario with(List<Injection> other) {
    return new Scenario(seed, setup, other);
  }
}
