package dev.belay.drivers.tikv;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import java.time.Duration;
import java.util.Optional;

/** The keys of what only this driver understands. */
public final class Readings {

  /** How many regions the store leads. */
  public static final String LEADERS = "leaders";

  /** Whether PD moves leaders off the store: {@link #ON} or {@link #OFF}. */
  public static final String EVICTION = "eviction";

  /** The ids of all stores that PD moves leaders off, with commas between them. */
  public static final String ALL_EVICTED = "evictedStores";

  /** When the store's process began, by its own clock: another moment is another process. */
  public static final String STARTED = "started";

  /** The regions that lack a peer on another store, in words; empty when there are none. */
  public static final String GAPS = "gaps";

  /** The stores in no pod of the component that are not up, in words; empty when all are. */
  public static final String OTHERS = "others";

  /** How many stores may be away without a region losing its majority. */
  public static final String SPARE = "spare";

  /** After how long a store may go down although it leads; empty when nobody declared that. */
  public static final String LIMIT = "evictLeaderTimeout";

  static final String ON = "on";
  static final String OFF = "off";

  private Readings() {}

  static boolean evicting(Member store) {
    return store.reading(EVICTION).is(ON);
  }

  /** Without a peer to spare there is nobody whom leadership could go to and who could keep it. */
  static boolean nothingToSpare(Member store) {
    return store.reading(SPARE).is("0");
  }

  static Optional<Duration> limit(Member store) {
    return store.reading(LIMIT).asOptional().filter(l -> !l.isEmpty()).map(Duration::parse);
  }

  /** What a command's fence says: the one thing that commands change. */
  static Fact<String> term(String id, Fact<String> eviction) {
    return eviction.map(e -> "eviction of store " + id + " is " + e);
  }
}
