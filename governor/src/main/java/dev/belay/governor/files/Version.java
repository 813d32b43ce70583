package dev.belay.governor.files;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** A version of the schema: numbers, ordered as numbers, so that 25.10 follows 25.9. */
public record Version(List<BigInteger> numbers) implements Comparable<Version> {

  private static final Pattern FORM = Pattern.compile("[0-9]{1,18}([._][0-9]{1,18})*");

  public Version {
    numbers = List.copyOf(numbers);
  }

  public static Optional<Version> parse(String text) {
    if (!FORM.matcher(text).matches()) {
      return Optional.empty();
    }
    List<BigInteger> numbers = new ArrayList<>();
    for (String part : Pattern.compile("[._]").splitAsStream(text).toList()) {
      numbers.add(new BigInteger(part));
    }
    // 1, 1.0 and 1.0.0 are one version: two files may not share it.
    while (numbers.size() > 1 && numbers.getLast().signum() == 0) {
      numbers.removeLast();
    }
    return Optional.of(new Version(numbers));
  }

  /** Whether it is one of a counted series, V1, V2, V3, where a missing number is a mistake. */
  boolean counted() {
    return numbers.size() == 1 && numbers.getFirst().bitLength() < 17;
  }

  boolean follows(Version before) {
    return numbers.getFirst().equals(before.numbers.getFirst().add(BigInteger.ONE));
  }

  @Override
  public int compareTo(Version other) {
    for (int i = 0; i < Math.max(numbers.size(), other.numbers.size()); i++) {
      int c = at(i).compareTo(other.at(i));
      if (c != 0) {
        return c;
      }
    }
    return 0;
  }

  private BigInteger at(int i) {
    return i < numbers.size() ? numbers.get(i) : BigInteger.ZERO;
  }

  @Override
  public String toString() {
    return String.join(".", numbers.stream().map(BigInteger::toString).toList());
  }
}
