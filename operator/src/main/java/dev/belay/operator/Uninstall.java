package dev.belay.operator;

import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.snapshot.Snapshot.Self;
import dev.belay.operator.lease.Election;
import dev.belay.operator.marks.Sweep;
import dev.belay.operator.select.Claims;
import dev.belay.operator.select.Leases;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what this install wrote, so that it can be deleted: releases its StatefulClusters, and
 * removes their finalizer, the marks and the labels of the selector. No pod restarts.
 */
final class Uninstall {

  /** The Lease of a process that was killed expires meanwhile. */
  private static final Duration FOR_THE_LEASE = Duration.ofSeconds(30);

  /** An undo that fails is waited for for a minute. */
  private static final Duration FOR_A_CLUSTER = Duration.ofMinutes(2);

  private static final Duration PAUSE = Duration.ofMillis(200);

  private static final int THREADS = 8;

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
        System.err.printf(
            "belay-operator: the Lease %s is held by a running operator; fix: stop it and run"
                + " --uninstall again%n",
            self.lease());
        return 1;
      }
      List<String> left = released(election);
      int marked = new Sweep(client, self).uninstall(settings.namespaces());
      left.forEach(name ->
          System.err.printf(
              "belay-operator: StatefulCluster %s was not released within %d s; fix: run"
                  + " --uninstall again, or `belay release --all`%n",
              name, FOR_A_CLUSTER.toSeconds()));
      if (marked > 0) {
        System.err.printf(
            "belay-operator: %d workloads are still marked; fix: run --uninstall again%n", marked);
      }
      return left.isEmpty() && marked == 0 ? 0 : 1;
    }
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

  /** Releases all clusters of this install. Returns the names of those that were not released. */
  private List<String> released(Election election) throws InterruptedException {
    var claims = new Claims(self, settings.selector(), new Held(election)).uninstalling();
    var places = new Places(Places.NO_LIMIT, _ -> {});
    var left = new ArrayList<String>();
    try (var loop = new ClusterLoop(client, self, clock, places, claims, _ -> {});
        ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<ObjectMeta> clusters = clusters().map(StatefulCluster::getMetadata).toList();
      List<Callable<Boolean>> tasks =
          clusters.stream().<Callable<Boolean>>map(meta -> () -> released(loop, meta)).toList();
      List<Future<Boolean>> answers = threads.invokeAll(tasks);
      for (int i = 0; i < answers.size(); i++) {
        if (!isTrue(answers.get(i))) {
          left.add(clusters.get(i).getNamespace() + "/" + clusters.get(i).getName());
        }
      }
    }
    return left;
  }

  private static boolean released(ClusterLoop loop, ObjectMeta meta) throws InterruptedException {
    return within(
        FOR_A_CLUSTER,
        () -> {
          try {
            return loop.leave(meta.getNamespace(), meta.getName());
          } catch (KubernetesClientException | IllegalStateException e) {
            LOG.warn("{}/{}: {}", meta.getNamespace(), meta.getName(), e.getMessage());
            return false;
          }
        });
  }

  private static boolean isTrue(Future<Boolean> answer) throws InterruptedException {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      LOG.warn("a StatefulCluster was not released: {}", String.valueOf(e.getCause()));
      return false;
    }
  }

  /** Those that this install owns, or released last. */
  private Stream<StatefulCluster> clusters() {
    var all = client.resources(StatefulCluster.class);
    List<StatefulCluster> listed =
        settings.namespaces().isEmpty()
            ? all.inAnyNamespace().list().getItems()
            : settings.namespaces().stream()
                .flatMap(n -> all.inNamespace(n).list().getItems().stream())
                .toList();
    return listed.stream()
        .filter(c -> Mapping.owner(c).filter(o -> o.install().equals(self.install())).isPresent());
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
