package dev.belay.core.model;

import java.util.List;
import java.util.Map;

/** One member of the clustered system, by the system's own account. */
public record Member(
    String id,
    String name,
    List<String> hosts,
    Role role,
    Fact<Health> health,
    Fact<String> version,
    Map<String, Fact<String>> readings) {

  /** What a member does in its system. */
  public enum Role {
    LEADER,
    FOLLOWER,
    LEARNER,
    /** One of equals, where nobody leads. */
    PEER,
    UNKNOWN
  }

  /**
   * Whether a member serves and is caught up, and the reading that says so.
   *
   * @param down known not to run at all: it takes no part, so touching it takes nothing away. A
   *     member that is unwell (no leader, lagging, alarmed) may still vote and is not down.
   */
  public record Health(boolean good, boolean down, String reading) {

    public Health(boolean good, String reading) {
      this(good, false, reading);
    }

    public static Health down(String reading) {
      return new Health(false, true, reading);
    }
  }

  public Member {
    hosts = List.copyOf(hosts);
    readings = Sorted.copyOf(readings);
  }

  public boolean healthy() {
    return health instanceof Fact.Known<Health>(Health h) && h.good();
  }

  /** Known not to run. Unknown health is not that, and neither is being unwell. */
  public boolean knownDown() {
    return health instanceof Fact.Known<Health>(Health h) && h.down();
  }

  /** A reading only this member's driver understands. */
  public Fact<String> reading(String key) {
    return readings.getOrDefault(key, Fact.unknown(key + " was not read"));
  }
}
