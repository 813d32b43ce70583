package dev.belay.drivers.bookkeeper;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;

/** The keys of what only this driver understands; all but the mode are the cluster's. */
public final class Readings {

  /** Whether the bookie takes writes: {@link #WRITABLE} or {@link #READ_ONLY}. */
  public static final String MODE = "mode";

  /** The ledgers that lack copies; empty when there are none. */
  public static final String UNDER_REPLICATED = "underReplicated";

  /** Whether lost copies are restored: {@link #ON} or {@link #OFF}. */
  public static final String AUTORECOVERY = "autorecovery";

  /** After how many seconds the copies on a lost bookie are restored elsewhere. */
  public static final String DELAY = "lostBookieRecoveryDelay";

  /** The member that hosts the auditor, {@link #NOBODY}, or {@link #ELSEWHERE}. */
  public static final String AUDITOR = "auditor";

  static final String WRITABLE = "writable";
  static final String READ_ONLY = "read-only";
  static final String ON = "on";
  static final String OFF = "off";
  static final String NOBODY = "";
  static final String ELSEWHERE = "in no pod of this component";

  private Readings() {}

  /** A reading of the whole cluster: every member carries it. */
  static Fact<String> ofCluster(Component component, String key) {
    return component
        .topology()
        .flatMap(t ->
            t.members().isEmpty()
                ? Fact.unknown("there is no bookie")
                : t.members().getFirst().reading(key));
  }

  static boolean writable(Member member) {
    return member.reading(MODE).is(WRITABLE);
  }

  static boolean readOnly(Member member) {
    return member.reading(MODE).is(READ_ONLY);
  }
}
