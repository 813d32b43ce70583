package dev.belay.core.snapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A version as people write it: {@code v?N(.N)*} and a free suffix. Only the numbers are ordered:
 * the same numbers with another suffix is a rebuild, allowed both ways.
 */
public record Version(String text, List<Integer> numbers) {

  private static final Pattern GRAMMAR =
      Pattern.compile("v?([0-9]{1,9}(?:\\.[0-9]{1,9})*)([-+_a-zA-Z][-+_.a-zA-Z0-9]*)?");

  public Version {
    numbers = List.copyOf(numbers);
  }

  public static Optional<Version> parse(String text) {
    var matcher = GRAMMAR.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    var numbers = new ArrayList<Integer>();
    int from = matcher.start(1);
    while (from < matcher.end(1)) {
      int dot = text.indexOf('.', from);
      int end = dot < 0 || dot > matcher.end(1) ? matcher.end(1) : dot;
      numbers.add(Integer.parseInt(text, from, end, 10));
      from = end + 1;
    }
    return Optional.of(new Version(text, numbers));
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
}
