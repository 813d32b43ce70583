package dev.belay.operator.select;

import java.util.Optional;
import java.util.regex.Pattern;

/** The label keys and values that Kubernetes accepts. */
final class LabelSyntax {

  private static final int LONGEST_NAME = 63;
  private static final int LONGEST_PREFIX = 253;

  private static final Pattern NAME = Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
  private static final Pattern PREFIX =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  private static final String NAME_RULE =
      "use letters, digits, '-', '_' and '.', with a letter or digit at both ends";

  /** A mistake in a key or value, and how to correct it. */
  record Mistake(String what, String fix) {}

  static Optional<Mistake> inKey(String key) {
    int slash = key.indexOf('/');
    String name = key.substring(slash + 1);
    Optional<Mistake> inPrefix =
        slash < 0 ? Optional.empty() : inPrefix(key, key.substring(0, slash));
    if (inPrefix.isPresent()) {
      return inPrefix;
    }
    if (name.length() > LONGEST_NAME) {
      return tooLong("the name of the label key '" + name + "'", name.length(), LONGEST_NAME);
    }
    return NAME.matcher(name).matches()
        ? Optional.empty()
        : Optional.of(new Mistake("'" + key + "' is not a label key", NAME_RULE));
  }

  private static Optional<Mistake> inPrefix(String key, String prefix) {
    if (prefix.length() > LONGEST_PREFIX) {
      return tooLong("the prefix of the label key", prefix.length(), LONGEST_PREFIX);
    }
    return PREFIX.matcher(prefix).matches()
        ? Optional.empty()
        : Optional.of(
            new Mistake(
                "'" + key + "' is not a label key",
                "write a lower-case DNS name before the '/', as in example.com/tier"));
  }

  static Optional<Mistake> inValue(String value) {
    if (value.length() > LONGEST_NAME) {
      return tooLong("the label value '" + value + "'", value.length(), LONGEST_NAME);
    }
    return value.isEmpty() || NAME.matcher(value).matches()
        ? Optional.empty()
        : Optional.of(new Mistake("'" + value + "' is not a label value", NAME_RULE));
  }

  private static Optional<Mistake> tooLong(String what, int length, int longest) {
    return Optional.of(
        new Mistake(
            "%s has %d characters".formatted(what, length),
            "use at most %d characters".formatted(longest)));
  }

  static Optional<Long> number(String value) {
    try {
      return Optional.of(Long.parseLong(value));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private LabelSyntax() {}
}
