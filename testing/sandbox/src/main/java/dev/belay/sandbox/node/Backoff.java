package dev.belay.sandbox.node;

import java.time.Duration;

/** How long to wait before the next try: nothing, then base, doubling, up to a limit. */
final class Backoff {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(10);

  private final Duration base;
  private Duration next = Duration.ZERO;

  Backoff(Duration base) {
    this.base = base;
  }

  /** The wait after a try that lasted this long; one that lasted long starts afresh. */
  Duration after(Duration lasted) {
    if (lasted.compareTo(FORGOTTEN_AFTER) > 0) {
      next = Duration.ZERO;
    }
    Duration now = next;
    Duration doubled = now.isZero() ? base : now.multipliedBy(2);
    next = doubled.compareTo(LIMIT) > 0 ? LIMIT : doubled;
    return now;
  }
}
