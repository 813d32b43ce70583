package dev.belay.drivers.etcd;

import dev.belay.core.model.Version;

/** A minor release of etcd: the unit in which it is upgraded. */
record Minor(int major, int minor) implements Comparable<Minor> {

  static final Minor V3_5 = new Minor(3, 5);
  static final Minor V3_6 = new Minor(3, 6);
  static final Minor V3_7 = new Minor(3, 7);

  static Minor of(Version version) {
    return new Minor(version.number(0), version.number(1));
  }

  boolean isNextOf(Minor other) {
    return major == other.major && minor == other.minor + 1;
  }

  @Override
  public int compareTo(Minor other) {
    return major == other.major
        ? Integer.compare(minor, other.minor)
        : Integer.compare(major, other.major);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
