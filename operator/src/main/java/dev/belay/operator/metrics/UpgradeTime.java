package dev.belay.operator.metrics;

import dev.belay.core.report.Report;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How long the upgrade under way has taken, or else the last one took, and how much of it a person
 * was waited for. All of it is in the status, so that no restart loses any.
 */
record UpgradeTime(
    Instant start, Optional<Instant> end, Duration waited, Optional<Instant> waitingSince) {

  /** Empty before the first upgrade. */
  static Optional<UpgradeTime> of(Report report) {
    return report
        .memory()
        .run()
        .map(r -> new UpgradeTime(r.since(), Optional.empty(), r.waited(), r.waitingSince()))
        .or(() ->
            report.memory().history().stream()
                .findFirst()
                .map(p ->
                    new UpgradeTime(
                        p.since(), Optional.of(p.until()), p.waited(), Optional.empty())));
  }

  Duration waiting(Instant now) {
    return waitingSince.map(since -> waited.plus(Duration.between(since, now))).orElse(waited);
  }

  Duration working(Instant now) {
    return Duration.between(start, end.orElse(now)).minus(waiting(now));
  }
}
