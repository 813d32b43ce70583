package dev.belay.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How long ago something was. */
final class Ages {

  /** Absent when there is no such time: the epoch is how an unknown one is written. */
  static Optional<Duration> since(@Nullable String time, Instant now) {
    if (time == null) {
      return Optional.empty();
    }
    try {
      Instant then = Instant.parse(time);
      Duration age = Duration.between(then, now);
      // Clocks differ a little: what began in the future began now.
      return then.equals(Instant.EPOCH)
          ? Optional.empty()
          : Optional.of(age.isNegative() ? Duration.ZERO : age);
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** For sentences: 12 s, 4 min, 2 h 5 min, 3 d. */
  static String words(Duration age) {
    return text(age, " d", " h", " min", " s", " ");
  }

  /** For columns, as kubectl writes it: 12s, 4m, 2h5m, 3d. */
  static String compact(Duration age) {
    return text(age, "d", "h", "m", "s", "");
  }

  private static String text(Duration age, String d, String h, String m, String s, String gap) {
    if (age.toDays() >= 2) {
      return age.toDays() + d;
    }
    if (age.toHours() >= 1) {
      int minutes = age.toMinutesPart();
      return age.toHours() + h + (minutes == 0 ? "" : gap + minutes + m);
    }
    return age.toMinutes() >= 2 ? age.toMinutes() + m : age.toSeconds() + s;
  }

  private Ages() {}
}
