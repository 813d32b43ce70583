package dev.belay.core.snapshot;

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
    UNKNOWN
  }

  /** Whether a member serves and is caught up, and the reading that says so. */
  public record Health(boolean good, String reading) {}

  public Member {
    hosts = List.copyOf(hosts);
    readings = Map.copyOf(readings);
  }

  public boolean healthy() {
    return health instanceof Fact.Known<Health>(Health h) && h.good();
  }

  /** Known to be down: touching it takes nothing away. Unknown health is not that. */
  public boolean knownDown() {
    return health instanceof Fact.Known<Health>(Health h) && !h.good();
  }

  /** A reading only this member's driver understands. */
  public Fact<String> reading(String key) {
    return readings.getOrDefault(key, Fact.unknown(key + " was not read"));
  }
}
