package dev.belay.api.v1alpha1;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;

/** Times as people write them in YAML: 500ms, 30s, 10m, 1h30m. */
public final class Durations {

  private static final Pattern WHOLE = Pattern.compile("(?:[0-9]{1,5}[smh]|[0-9]{1,8}ms)+");
  private static final Pattern PART = Pattern.compile("([0-9]+)(ms|s|m|h)");
  private static final String ISO = "PT";
  private static final Duration LONGEST = Duration.ofHours(24);

  /**
   * The same texts that the schema accepts: objects of an older schema are read too.
   *
   * @throws IllegalArgumentException naming the field, the value and the cure
   */
  public static Duration parse(String field, String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw refused(field, text);
    }
    Duration sum = Duration.ZERO;
    var part = PART.matcher(text);
    while (part.find()) {
      long number = Long.parseLong(part.group(1));
      sum =
          sum.plus(
              switch (part.group(2)) {
                case "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                case "m" -> Duration.ofMinutes(number);
                default -> Duration.ofHours(number);
              });
    }
    if (sum.compareTo(LONGEST) > 0) {
      throw refused(field, text);
    }
    return sum;
  }

  /** Any duration, exactly: 26h3m0.5s. */
  static String text(Duration duration) {
    return duration.toString().substring(ISO.length()).toLowerCase(Locale.ROOT);
  }

  /**
   * What {@link #text} wrote.
   *
   * @throws java.time.format.DateTimeParseException when it did not
   */
  public static Duration read(String text) {
    return Duration.parse(ISO + text.toUpperCase(Locale.ROOT));
  }

  private static IllegalArgumentException refused(String field, String text) {
    return new IllegalArgumentException(field + ": \"" + text + "\" " + Grammar.DURATION_MESSAGE);
  }

  private Durations() {}
}
