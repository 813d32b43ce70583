package dev.belay.core.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A version as people write it: {@code v?N(.N)*} and a free suffix. Only the numbers are ordered:
 * the same numbers with another suffix is a rebuild, allowed both ways.
 */
public record Version(String text, List<Integer> numbers) {

  /** So that every number fits an int. */
  private static final int DIGITS = 9;

  public Version {
    numbers = List.copyOf(numbers);
  }

  public static Optional<Version> parse(String text) {
    var numbers = new ArrayList<Integer>();
    int from = text.startsWith("v") ? 1 : 0;
    int end = digits(text, from);
    while (end > from && end - from <= DIGITS) {
      numbers.add(Integer.parseInt(text, from, end, 10));
      if (end == text.length() || text.charAt(end) != '.') {
        return isSuffix(text, end) ? Optional.of(new Version(text, numbers)) : Optional.empty();
      }
      from = end + 1;
      end = digits(text, from);
    }
    return Optional.empty();
  }

  /** Where the digits that begin at {@code from} end. */
  private static int digits(String text, int from) {
    int end = from;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  /** Nothing, or what begins with no dot and no digit. */
  private static boolean isSuffix(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || "-+_".indexOf(c) >= 0;
      if (!letter && (i == from || !(isDigit(c) || c == '.'))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** The version in an image reference's tag; empty for a digest, no tag, or a tag that is none. */
  public static Optional<Version> ofImage(String image) {
    String name = image.contains("@") ? image.substring(0, image.indexOf('@')) : image;
    int colon = name.lastIndexOf(':');
    boolean tagged = colon > name.lastIndexOf('/');
    return tagged ? parse(name.substring(colon + 1)) : Optional.empty();
  }

  /** Orders the numbers alone; a missing number is 0. */
  public int compareNumbers(Version other) {
    int length = Math.max(numbers.size(), other.numbers.size());
    for (int i = 0; i < length; i++) {
      int order = Integer.compare(number(i), other.number(i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  public boolean sameNumbers(Version other) {
    return compareNumbers(other) == 0;
  }

  public boolean olderThan(Version other) {
    return compareNumbers(other) < 0;
  }

  /** The i-th number, 0 where the text has none. */
  public int number(int i) {
    return i < numbers.size() ? numbers.get(i) : 0;
  }

  @Override
  public String toString() {
    return text;
  }

  /** {@code 0.4.x} matches every version that starts with 0.4; anything else its own numbers. */
  public static boolean matches(String pattern, String version) {
    Optional<Version> found = Version.parse(version);
    boolean prefix = pattern.endsWith(".x");
    Optional<Version> wanted =
        Version.parse(prefix ? pattern.substring(0, pattern.length() - 2) : pattern);
    if (found.isEmpty() || wanted.isEmpty()) {
      return false;
    }
    return prefix ? found.get().startsWith(wanted.get()) : wanted.get().sameNumbers(found.get());
  }

  /** Whether its first numbers are those of another. */
  public boolean startsWith(Version prefix) {
    for (int i = 0; i < prefix.numbers.size(); i++) {
      if (number(i) != prefix.numbers.get(i)) {
        return false;
      }
    }
    return true;
  }
}
