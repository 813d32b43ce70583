package dev.belay.drivers.wire;

import java.time.Duration;

/** The moment until which answers count. */
public record Deadline(long nanos, Duration whole) {

  public static Deadline in(Duration whole) {
    return new Deadline(System.nanoTime() + whole.toNanos(), whole);
  }

  public boolean over() {
    return nanos - System.nanoTime() <= 0;
  }

  /** What is left, at least a millisecond: the JDK's client takes no zero. */
  public Duration left() {
    long left = nanos - System.nanoTime();
    return left > 1_000_000 ? Duration.ofNanos(left) : Duration.ofMillis(1);
  }

  /** How a missed deadline is told. */
  public String missed() {
    return "no answer in "
        + (whole.toMillis() % 1000 == 0 ? whole.toSeconds() + " s" : whole.toMillis() + " ms");
  }
}
