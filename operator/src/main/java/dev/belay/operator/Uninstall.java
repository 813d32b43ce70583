package dev.belay.operator;

import dev.belay.core.state.Snapshot.Self;
import dev.belay.operator.lease.Election;
import dev.belay.operator.marks.Sweep;
import dev.belay.operator.select.Claims;
import dev.belay.operator.select.Leases;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what this install wrote, so that it can be deleted: releases its StatefulClusters, and
 * removes their finalizer, the marks and the labels of the selector. No pod restarts.
 */
final class Uninstall {

  /** The Lease of a process that was killed expires meanwhile. */
  private static final Duration FOR_THE_LEASE = Duration.ofSeconds(30);

  /** All together. What cannot be undone now is waited for for a minute. */
  private static final Duration FOR_THE_CLUSTERS = Duration.ofSeconds(150);

  private static final Duration FOR_THE_MARKS = Duration.ofSeconds(20);

  private static final Duration PAUSE = Duration.ofMillis(200);

  private static final int AT_ONCE = 8;

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  private final KubernetesClient client;
  private final Self self;
  private final Settings settings;
  private final Clock clock = Clock.systemUTC();

  Uninstall(KubernetesClient client, Self self, Settings settings) {
    this.client = client;
    this.self = self;
    this.settings = settings;
  }

  /** The exit code: 0 when nothing is left. */
  int run() throws InterruptedException {
    stopDeployment();
    try (var election =
        new Election(client, self, settings.name(), clock, new Election.Nothing())) {
      election.start();
      if (!within(FOR_THE_LEASE, election::leads)) {
        System.err.println("belay-operator: " + notLeading(election.trouble()));
        return 1;
      }
      Remaining remaining = Remaining.of(client, settings.namespaces());
      remaining
          .unreadable()
          .forEach((namespace, why) ->
              System.err.printf(
                  "belay-operator: the StatefulClusters of namespace %s were not read: %s; fix: give the"
                      + " operator its rights there and run --uninstall again; if the namespace is"
                      + " gone, helm uninstall --no-hooks%n",
                  namespace, why));
      Set<String> left = released(election, remaining.ownedBy(self.install()));
      Set<String> guarded = new HashSet<>(left);
      remaining.ownedByOthers(self.install()).forEach(c -> guarded.add(c.toString()));
      boolean unmarked =
          remaining.nothingRead()
              || within(FOR_THE_MARKS, () -> marksLeft(remaining.namespaces(), guarded) == 0);
      if (!unmarked) {
        System.err.println(
            "belay-operator: not all marks were removed; fix: run --uninstall again, or"
                + " `belay release --all`");
      }
      // The Lease is kept: an operator that was started again must not claim what was released.
      return left.isEmpty() && unmarked && remaining.unreadable().isEmpty() ? 0 : 1;
    }
  }

  private String notLeading(String trouble) {
    return trouble.isEmpty()
        ? "the Lease %s is held by a running operator; fix: stop it and run --uninstall again"
            .formatted(self.lease())
        : trouble + "; fix: correct the cause and run --uninstall again";
  }

  /** A workload that changes meanwhile is tried again. */
  private int marksLeft(List<String> namespaces, Set<String> except) {
    return new Sweep(client, self).uninstall(namespaces, except);
  }

  /** A running operator would claim its clusters again. */
  private void stopDeployment() {
    int slash = self.lease().indexOf('/');
    String namespace = self.lease().substring(0, slash);
    String name = self.lease().substring(slash + 1);
    try {
      var deployment = client.apps().deployments().inNamespace(namespace).withName(name);
      if (deployment.get() != null) {
        deployment.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"replicas\":0}}");
        LOG.info("Deployment {}/{} is scaled to 0", namespace, name);
      }
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
        throw e;
      }
      LOG.warn("Deployment {}/{} was not scaled to 0: {}", namespace, name, e.getMessage());
    }
  }

  /** Releases these clusters. Returns those that were not released, as NAMESPACE/NAME. */
  private Set<String> released(Election election, List<Remaining.Cluster> clusters) {
    var claims = new Claims(self, settings.selector(), new Held(election)).uninstalling();
    var places = new Places(Places.NO_LIMIT, _ -> {});
    try (var loop = new ClusterLoop(client, self, clock, places, claims, _ -> {})) {
      Map<String, String> left = released(clusters, loop::leave, FOR_THE_CLUSTERS);
      left.forEach((cluster, cause) ->
          System.err.printf(
              "belay-operator: StatefulCluster %s stays as it is: %s; fix: correct the cause and run"
                  + " --uninstall again, or `belay release --all`%n",
              cluster, cause));
      return left.keySet();
    }
  }

  /** Tries to release a cluster, and returns why it is not released yet, if so. */
  @FunctionalInterface
  interface Release {
    Optional<String> release(String namespace, String name);
  }

  /**
   * Tries the clusters in turns, so that a cluster that is stuck does not keep others from their
   * release.
   *
   * @return why those that are left were not released, by NAMESPACE/NAME
   */
  static Map<String, String> released(
      List<Remaining.Cluster> clusters, Release release, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    var turns = new Semaphore(AT_ONCE, true);
    Map<String, String> causes = new ConcurrentSkipListMap<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Remaining.Cluster cluster : clusters) {
        causes.put(cluster.toString(), "there was no time to release it");
        var _ =
            threads.submit(() -> {
              while (System.nanoTime() - end < 0
                  && turns.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                Optional<String> why = cause(release, cluster);
                turns.release();
                if (why.isEmpty()) {
                  causes.remove(cluster.toString());
                  return null;
                }
                causes.put(cluster.toString(), why.get());
                Thread.sleep(PAUSE);
              }
              return null;
            });
      }
    }
    return causes;
  }

  private static Optional<String> cause(Release release, Remaining.Cluster cluster) {
    try {
      return release.release(cluster.namespace(), cluster.name());
    } catch (RuntimeException e) {
      return Optional.of(Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  private static boolean within(Duration limit, BooleanSupplier condition)
      throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      Thread.sleep(PAUSE);
    }
    return true;
  }

  /** No cluster is claimed, so no other install is looked at. */
  private record Held(Election election) implements Leases {

    @Override
    public boolean held() {
      return election.leads();
    }

    @Override
    public boolean expired(String lease) {
      return false;
    }
  }
}
