package dev.belay.operator.lease;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import java.time.Duration;
import java.util.Optional;

/**
 * A Lease as it was last read, and since when it has not changed. The time is this process's own
 * monotonic clock: {@code renewTime} would compare the clocks of two machines.
 *
 * @param lease empty when there is none
 * @param since the end of the first read that showed it so, in nanoseconds of {@link
 *     System#nanoTime}
 * @param readAt the begin of the last read: a process may be paused before it sees the answer
 */
record Seen(Optional<Lease> lease, long since, long readAt) {

  /** This process counts no shorter duration, whatever a Lease says. */
  static final Duration SHORTEST = Duration.ofSeconds(15);

  /** The Lease read anew, between two times. */
  static Seen of(Optional<Seen> before, Optional<Lease> lease, long begin, long end) {
    boolean same = before.filter(b -> version(b.lease).equals(version(lease))).isPresent();
    return new Seen(lease, same ? before.get().since : end, begin);
  }

  /**
   * Whether the Lease had not changed for its duration and some time more when it was last read.
   * What happened after that read is not known.
   */
  boolean expired(Duration more) {
    return readAt - since >= duration().plus(more).toNanos();
  }

  /** The process that holds the Lease; empty when it was released. */
  Optional<String> holder() {
    return lease.map(Lease::getSpec).map(LeaseSpec::getHolderIdentity).filter(h -> !h.isEmpty());
  }

  private Duration duration() {
    Duration said =
        lease
            .map(Lease::getSpec)
            .map(LeaseSpec::getLeaseDurationSeconds)
            .map(Duration::ofSeconds)
            .orElse(SHORTEST);
    return said.compareTo(SHORTEST) < 0 ? SHORTEST : said;
  }

  /** One that was deleted and made again is another one. */
  private static String version(Optional<Lease> lease) {
    return lease
        .map(l -> l.getMetadata().getUid() + " " + l.getMetadata().getResourceVersion())
        .orElse("");
  }
}
