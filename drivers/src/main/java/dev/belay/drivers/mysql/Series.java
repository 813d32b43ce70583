package dev.belay.drivers.mysql;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Version;

/** A release series such as 8.4 or 10.11: within one, replication and data go both ways. */
record Series(int major, int minor) implements Comparable<Series> {

  static Series of(Version version) {
    return new Series(version.number(0), version.number(1));
  }

  static Fact<Series> of(Member member) {
    return member
        .version()
        .flatMap(text ->
            Version.parse(text)
                .map(v -> Fact.known(Series.of(v)))
                .orElse(Fact.unknown("version \"" + text + "\" is no version")));
  }

  /** Whether a replica of this series may follow a primary of that one: never a newer primary. */
  boolean mayFollow(Series primary) {
    return compareTo(primary) >= 0;
  }

  @Override
  public int compareTo(Series other) {
    return major != other.major
        ? Integer.compare(major, other.major)
        : Integer.compare(minor, other.minor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
