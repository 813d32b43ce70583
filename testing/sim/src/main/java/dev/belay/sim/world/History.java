package dev.belay.sim.world;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Predicate;

/** The recent versions of something: for stale views, and for checks of what a process saw. */
final class History<T> {

  /** Longer than the longest suspension of a process, which acts on what it saw before. */
  private static final Duration KEPT = Duration.ofMinutes(5);

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

  /** The newest one of this kind, if it is still remembered. */
  Optional<T> newest(Predicate<T> wanted) {
    var newestFirst = versions.descendingIterator();
    while (newestFirst.hasNext()) {
      T value = newestFirst.next().value();
      if (wanted.test(value)) {
        return Optional.of(value);
      }
    }
    return Optional.empty();
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
