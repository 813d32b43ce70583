package dev.belay.operator.lease;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells which other installs are gone: those whose Lease has not changed for its duration and 30 s
 * more, the longest time-out of an effect. A Lease that does not exist does not change either. One
 * that cannot be read proves nothing.
 */
public final class OtherInstalls {

  private static final Duration LONGEST_EFFECT = Duration.ofSeconds(30);

  /** A process that led before, and leads again, has not read the Leases in between. */
  private static final Duration RECENT = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  private final Function<String, Optional<Lease>> read;
  private final LongSupplier nanos;
  private final Map<String, Seen> seen = new ConcurrentHashMap<>();
  private final Set<String> unreadable = ConcurrentHashMap.newKeySet();

  public OtherInstalls(KubernetesClient client) {
    this(lease -> read(client, lease), System::nanoTime);
  }

  OtherInstalls(Function<String, Optional<Lease>> read, LongSupplier nanos) {
    this.read = read;
    this.nanos = nanos;
  }

  /**
   * Reads the Leases of other installs; what is not asked for any more is forgotten.
   *
   * @param leases as NAMESPACE/NAME
   */
  public void look(Set<String> leases) {
    seen.keySet().retainAll(leases);
    leases.forEach(this::look);
  }

  private void look(String lease) {
    try {
      long begin = nanos.getAsLong();
      Optional<Lease> now = read.apply(lease);
      Optional<Seen> before = Optional.ofNullable(seen.get(lease));
      seen.put(lease, Seen.of(before, now, begin, nanos.getAsLong()));
      unreadable.remove(lease);
    } catch (RuntimeException e) {
      if (unreadable.add(lease)) {
        LOG.warn(
            "the Lease {} of another install was not read, so its clusters stay with it: {}. fix:"
                + " give this operator's account the right to get the Lease",
            lease,
            e.getMessage());
      }
    }
  }

  /** Whether the install with this Lease is gone. */
  public boolean expired(String lease) {
    return Optional.ofNullable(seen.get(lease))
        .filter(s -> s.expired(LONGEST_EFFECT))
        .filter(s -> nanos.getAsLong() - s.readAt() <= RECENT.toNanos())
        .isPresent();
  }

  private static Optional<Lease> read(KubernetesClient client, String lease) {
    int slash = lease.indexOf('/');
    if (slash < 1 || slash == lease.length() - 1) {
      throw new KubernetesClientException("'" + lease + "' is not NAMESPACE/NAME");
    }
    return Optional.ofNullable(
        client
            .leases()
            .inNamespace(lease.substring(0, slash))
            .withName(lease.substring(slash + 1))
            .get());
  }
}
