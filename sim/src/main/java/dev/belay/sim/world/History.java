package dev.belay.sim.world;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/** The recent versions of something, so that a stale view can be served. */
final class History<T> {

  private static final Duration KEPT = Duration.ofSeconds(60);

  private record Version<T>(Instant from, T value) {}

  private final Deque<Version<T>> versions = new ArrayDeque<>();

  History(Instant at, T first) {
    versions.add(new Version<>(at, first));
  }

  void add(Instant at, T value) {
    versions.addLast(new Version<>(at, value));
    while (versions.size() > 2 && versions.peekFirst().from().isBefore(at.minus(KEPT))) {
      versions.removeFirst();
    }
  }

  T last() {
    return versions.getLast().value();
  }

  /** What a reader saw whose view ends at {@code moment}. */
  T asOf(Instant moment) {
    var newestFirst = versions.descendingIterator();
    while (newestFirst.hasNext()) {
      Version<T> version = newestFirst.next();
      if (!version.from().isAfter(moment)) {
        return version.value();
      }
    }
    return versions.getFirst().value();
  }
}
