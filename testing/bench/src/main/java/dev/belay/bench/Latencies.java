package dev.belay.bench;

import java.time.Duration;
import java.util.List;

/** Measured times of one kind, shortest first. */
record Latencies(List<Duration> sorted) {

  Latencies {
    sorted = sorted.stream().sorted().toList();
  }

  int count() {
    return sorted.size();
  }

  double medianMillis() {
    return quantileMillis(0.5);
  }

  /** The time at the nearest rank; not a number when nothing was measured. */
  double quantileMillis(double q) {
    return sorted.isEmpty()
        ? Double.NaN
        : sorted.get((int) Math.round(q * (sorted.size() - 1))).toNanos() / 1e6;
  }

  /** How many times as long as the other, at the median. */
  double ratioTo(Latencies other) {
    return medianMillis() / other.medianMillis();
  }
}
