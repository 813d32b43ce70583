package dev.belay.sim;

import dev.belay.sim.operator.Seams;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes a failing run short: leaves out every fault without which the same promise still breaks.
 */
public final class Shrinker {

  private final Seams seams;
  private final long end;

  /** Takes as long as it takes. */
  public Shrinker(Seams seams) {
    this(seams, Duration.ofDays(1));
  }

  /**
   * @param patience after which what was reached has to do
   */
  public Shrinker(Seams seams, Duration patience) {
    this.seams = seams;
    this.end = System.nanoTime() + patience.toNanos();
  }

  /** Whether more might have been left out, had there been time. */
  public boolean gaveUp() {
    return System.nanoTime() - end > 0;
  }

  public Outcome shrink(Outcome failing) {
    if (failing.good()) {
      throw new IllegalArgumentException("seed " + failing.scenario().seed() + " breaks nothing");
    }
    Outcome best = failing;
    for (int size = Math.max(1, best.scenario().faults().size() / 2); size >= 1; size /= 2) {
      int at = 0;
      while (at < best.scenario().faults().size() && !gaveUp()) {
        Optional<Outcome> smaller = without(best, at, size);
        if (smaller.isPresent()) {
          best = smaller.get();
        } else {
          at += size;
        }
      }
    }
    return best;
  }

  private Optional<Outcome> without(Outcome best, int from, int count) {
    List<Injection> faults = best.scenario().faults();
    var rest = new ArrayList<>(faults.subList(0, from));
    rest.addAll(faults.subList(Math.min(faults.size(), from + count), faults.size()));
    Outcome outcome = Simulation.run(best.scenario().with(rest), seams);
    return Optional.of(outcome).filter(o -> !o.good() && samePromise(o, best));
  }

  private static boolean samePromise(Outcome one, Outcome other) {
    return one.violation()
        .flatMap(v -> other.violation().filter(w -> w.promise().equals(v.promise())))
        .isPresent();
  }
}
