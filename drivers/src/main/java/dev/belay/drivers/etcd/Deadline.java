package dev.belay.drivers.etcd;

import java.time.Duration;

/** The moment until which answers count. */
record Deadline(long nanos, Duration whole) {

  static Deadline in(Duration whole) {
    return new Deadline(System.nanoTime() + whole.toNanos(), whole);
  }

  /** What is left, at least a millisecond: the JDK's client takes no zero. */
  Duration left() {
    long left = nanos - System.nanoTime();
    return left > 1_000_000 ? Duration.ofNanos(left) : Duration.ofMillis(1);
  }

  /** How a missed deadline is told. */
  String missed() {
    return "no answer in "
        + (whole.toMillis() % 1000 == 0 ? whole.toSeconds() + " s" : whole.toMillis() + " ms");
  }
}
