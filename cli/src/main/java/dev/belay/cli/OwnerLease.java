package dev.belay.cli;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The Lease of the operator that owns a StatefulCluster: it is renewed while the operator runs. */
record OwnerLease(KubernetesClient client, Cluster cluster) {

  /** Four times the duration of a Lease: clocks differ, and another replica takes over. */
  private static final Duration EXPIRED = Duration.ofMinutes(1);

  /**
   * A warning when the Lease has expired by the clock of this machine, which may be wrong; none
   * when it was not read.
   */
  Optional<String> warning(Instant now) {
    return cluster
        .lease()
        .flatMap(name -> expired(name, now))
        .map(how ->
            "the Lease %s of %s %s; fix: start that operator if it does not run, or label the"
                    .formatted(
                        cluster.lease().orElseThrow(), cluster.owner().orElse("its operator"), how)
                + " StatefulCluster so that the selector of a running operator matches");
  }

  private Optional<String> expired(String name, Instant now) {
    int slash = name.indexOf('/');
    if (slash < 1 || slash == name.length() - 1) {
      return Optional.empty();
    }
    try {
      Optional<Lease> lease =
          Optional.ofNullable(
              client
                  .leases()
                  .inNamespace(name.substring(0, slash))
                  .withName(name.substring(slash + 1))
                  .get());
      return lease.isEmpty()
          ? Optional.of("does not exist")
          : lease
              .flatMap(l -> Optional.ofNullable(l.getSpec().getRenewTime()))
              .map(renewed -> Duration.between(renewed.toInstant(), now))
              .filter(age -> age.compareTo(EXPIRED) > 0)
              .map(age ->
                  "was not renewed for %s by the clock of this machine".formatted(Ages.words(age)));
    } catch (KubernetesClientException e) {
      return Optional.empty();
    }
  }
}
