package dev.belay.governor.jdbc;

import dev.belay.governor.Refusal;
import dev.belay.governor.files.Migration.Phase;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * What a governor is told besides where its databases are.
 *
 * @param owner how it is called in the lease and in the list of sessions
 * @param cluster the cluster id it must find, if it is to be checked
 * @param lockTimeout how long a statement may queue the application behind it
 * @param lockTries how often a busy lock is met before the operation counts as failed
 * @param prepareTimeout how long prepared transactions may wait for the slowest master
 * @param lease how long the holder of the lock may be silent before its session is ended
 * @param phases the phases of an upgrade that are open
 * @param custom whether custom operations may run
 */
public record Options(
    String owner,
    Optional<String> cluster,
    Duration lockTimeout,
    int lockTries,
    Duration prepareTimeout,
    Duration lease,
    Set<Phase> phases,
    boolean custom) {

  public Options {
    phases = Set.copyOf(phases);
    positive("lock timeout", lockTimeout);
    positive("prepare timeout", prepareTimeout);
    positive("lease", lease);
    if (lockTries < 1 || lockTries > 1000) {
      throw new Refusal("lock tries " + lockTries + " is out of range; give 1 to 1000");
    }
    if (lease.compareTo(prepareTimeout) <= 0) {
      throw new Refusal(
          "lease "
              + lease.toSeconds()
              + " s must be longer than the prepare timeout "
              + prepareTimeout.toSeconds()
              + " s, or a waiting governor would pass for dead");
    }
  }

  /** The same with other phases open. */
  public Options open(Set<Phase> open, boolean customToo) {
    return new Options(
        owner, cluster, lockTimeout, lockTries, prepareTimeout, lease, open, customToo);
  }

  private static void positive(String what, Duration d) {
    if (d.isNegative() || d.isZero() || d.compareTo(Duration.ofDays(1)) > 0) {
      throw new Refusal(what + " " + d + " is out of range; give more than 0 and at most 1 day");
    }
  }

  public static Options defaults(String owner) {
    return new Options(
        owner,
        Optional.empty(),
        Duration.ofSeconds(5),
        3,
        Duration.ofSeconds(60),
        Duration.ofSeconds(90),
        EnumSet.allOf(Phase.class),
        true);
  }
}
