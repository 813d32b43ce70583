package dev.belay.operator.metrics;

import dev.belay.core.report.Report;
import dev.belay.core.snapshot.Memory.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * How long the last roll-out took, and how much of it a person was waited for. The start is in the
 * status; of the waiting only what this process saw is known.
 */
record UpgradeTime(
    Instant start, Optional<Instant> end, Duration waited, Optional<Instant> waitingSince) {

  /** By their words: a phase in which nothing moves until somebody does something. */
  private static final Set<String> NEEDS_A_PERSON = Set.of("Held", "Paused", "Failed");

  /** What is known after a turn; empty before the first roll-out. */
  static Optional<UpgradeTime> after(Optional<UpgradeTime> before, Report report, Instant at) {
    Optional<Instant> since =
        report.memory().components().values().stream()
            .flatMap(c -> c.target().stream())
            .map(Target::since)
            .min(Instant::compareTo);
    boolean underWay = before.filter(u -> u.end().isEmpty()).isPresent();
    if (since.isEmpty()) {
      return underWay ? before.map(u -> u.ended(at)) : before;
    }
    // Another target midway is still the same roll-out.
    UpgradeTime now =
        underWay
            ? before.orElseThrow()
            : new UpgradeTime(since.get(), Optional.empty(), Duration.ZERO, Optional.empty());
    return Optional.of(now.passing(NEEDS_A_PERSON.contains(report.phase().toString()), at));
  }

  private UpgradeTime passing(boolean needsPerson, Instant at) {
    return needsPerson
        ? new UpgradeTime(start, end, waited, waitingSince.or(() -> Optional.of(at)))
        : new UpgradeTime(start, end, waiting(at), Optional.empty());
  }

  private UpgradeTime ended(Instant at) {
    return new UpgradeTime(start, Optional.of(at), waiting(at), Optional.empty());
  }

  Duration waiting(Instant now) {
    return waitingSince.map(since -> waited.plus(Duration.between(since, now))).orElse(waited);
  }

  Duration working(Instant now) {
    return Duration.between(start, end.orElse(now)).minus(waiting(now));
  }
}
