package dev.belay.sim.world;

import java.time.Duration;
import java.util.List;

/** SplitMix64: small, the same on every machine, and splittable by name. */
public final class Rng {

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private long state;

  public Rng(long seed) {
    this.state = mix(seed + GOLDEN);
  }

  /** A stream of its own for each part of the world, so that one part's draws move no other's. */
  public Rng split(String name) {
    return new Rng(state ^ (name.hashCode() * GOLDEN));
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  public long next() {
    state += GOLDEN;
    return mix(state);
  }

  public int below(int bound) {
    return (int) Long.remainderUnsigned(next(), bound);
  }

  public boolean chance(int percent) {
    return below(100) < percent;
  }

  public <T> T pick(List<T> from) {
    return from.get(below(from.size()));
  }

  public Duration millis(int least, int most) {
    return Duration.ofMillis(least + below(most - least + 1));
  }
}
