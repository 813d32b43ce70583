package dev.belay.sim;

import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Rng;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** One fault: when, on whom, for how long. A run's faults are a list that can be shortened. */
public record Injection(Duration at, Fault fault, int target, Duration length) {

  static final Duration FAULTS_END = Duration.ofSeconds(60);

  /** A swarm: each run has its own few kinds of faults, so that none drowns the others. */
  static List<Injection> random(Rng rng) {
    if (rng.chance(8)) {
      return List.of();
    }
    int share = rng.pick(List.of(8, 15, 30, 60));
    List<Fault> kinds = new ArrayList<>();
    for (Fault fault : Fault.values()) {
      if (!fault.needsTwoInstalls() && rng.chance(share)) {
        kinds.add(fault);
      }
    }
    var plan = new ArrayList<Injection>();
    int count = kinds.isEmpty() ? 0 : 1 + rng.below(12);
    for (int i = 0; i < count; i++) {
      plan.add(
          new Injection(
              rng.millis(0, (int) FAULTS_END.toMillis()),
              rng.pick(kinds),
              rng.below(1000),
              rng.millis(500, rng.chance(80) ? 10_000 : 30_000)));
    }
    plan.sort(Comparator.comparing(Injection::at));
    return plan;
  }

  /** In every sixth run a second install stands by, and the cluster changes hands. */
  static List<Injection> handovers(Rng rng) {
    if (!rng.chance(16)) {
      return List.of();
    }
    List<Fault> kinds = Arrays.stream(Fault.values()).filter(Fault::needsTwoInstalls).toList();
    var plan = new ArrayList<Injection>();
    for (int i = 1 + rng.below(4); i > 0; i--) {
      plan.add(
          new Injection(
              rng.millis(0, (int) FAULTS_END.toMillis()),
              rng.pick(kinds),
              rng.below(1000),
              rng.millis(500, rng.chance(70) ? 10_000 : 60_000)));
    }
    return plan;
  }

  /** One line of a scenario file. */
  String line() {
    return at.toMillis() + " " + fault + " " + target + " " + length.toMillis();
  }

  static Injection parse(String line) {
    String[] parts = line.trim().split(" +", -1);
    if (parts.length != 4) {
      throw new IllegalArgumentException(
          "\"" + line + "\" is no fault; write: milliseconds FAULT target length-in-milliseconds");
    }
    return new Injection(
        Duration.ofMillis(Long.parseLong(parts[0])),
        Fault.valueOf(parts[1]),
        Integer.parseInt(parts[2]),
        Duration.ofMillis(Long.parseLong(parts[3])));
  }
}
