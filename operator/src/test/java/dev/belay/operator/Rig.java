package dev.belay.operator;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.decide.Planner;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Report;
import dev.belay.core.report.Reporter;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.drivers.Drivers;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.select.Claims;
import dev.belay.operator.select.Leases;
import dev.belay.operator.select.Selector;
import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A real control plane without nodes (pods exist, and stay pending), and the operator's loop on it
 * under the operator's own account, one turn at a time.
 */
final class Rig implements AutoCloseable {

  static final String ACCOUNT = "system:serviceaccount:belay-system:belay-operator";

  final ControlPlane plane;
  final KubernetesClient admin;
  final KubernetesClient operator;

  private Rig(ControlPlane plane) {
    this.plane = plane;
    this.admin = plane.client();
    for (String file : List.of("namespace", "shared/crd", "rbac")) {
      apply(file);
    }
    await("the CRD to be served", this::served);
    this.operator = ControlPlane.client(plane.kubeconfigFor("belay-system", "belay-operator"));
  }

  private boolean served() {
    try {
      admin.resources(StatefulCluster.class).inNamespace("default").list();
      return true;
    } catch (KubernetesClientException e) {
      return false;
    }
  }

  /** Waits until a template change of a marked set would be frozen: a new policy takes a moment. */
  private Rig guarding() {
    apply("shared/guard");
    namespace("guard-probe");
    set("guard-probe", "probe");
    admin
        .apps()
        .statefulSets()
        .inNamespace("guard-probe")
        .withName("probe")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":{\"belay.dev/cluster\":\"probe\"}}}");
    await("the guard", () -> freezes("guard-probe", "probe", false));
    return this;
  }

  /**
   * What a dry run of a template change says. It is refused in the moment in which one of the two
   * policies is in force already, or still.
   */
  boolean freezes(String namespace, String name, boolean refusedCountsAs) {
    var dryRun =
        new PatchContext.Builder()
            .withPatchType(PatchType.JSON_MERGE)
            .withDryRun(List.of("All"))
            .build();
    try {
      StatefulSet answer =
          admin
              .apps()
              .statefulSets()
              .inNamespace(namespace)
              .withName(name)
              .patch(
                  dryRun,
                  "{\"spec\":{\"template\":{\"metadata\":{\"annotations\":{\"a\":\"b\"}}}}}");
      return answer.getSpec().getUpdateStrategy().getRollingUpdate().getPartition()
          == Workload.FROZEN;
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
        throw e;
      }
      return refusedCountsAs;
    }
  }

  static Rig start() {
    return withoutPolicies().guarding();
  }

  static Rig withoutPolicies() {
    try {
      return new Rig(ControlPlane.start(Files.createTempDirectory("belay-operator-it")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void apply(String file) {
    try (InputStream in = Files.newInputStream(Path.of("../deploy/" + file + ".yaml"))) {
      admin.load(in).serverSideApply();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The operator as process {@code instance} of the one install. */
  ClusterLoop loop(String instance) {
    return loop(instance, Clock.systemUTC());
  }

  ClusterLoop loop(String instance, Clock clock) {
    return loop(
        operator, new Self("belay", instance, ACCOUNT), "tier notin (none)", _ -> false, clock);
  }

  /** The Lease of a loop without an election; {@code gone} tells which other installs are gone. */
  record AlwaysHeld(Predicate<String> gone) implements Leases {

    @Override
    public boolean held() {
      return true;
    }

    @Override
    public boolean expired(String lease) {
      return gone.test(lease);
    }
  }

  /** The operator of any install. */
  ClusterLoop loop(
      KubernetesClient client, Self self, String selector, Predicate<String> expired, Clock clock) {
    return new ClusterLoop(
        client,
        self,
        clock,
        new Places(Places.NO_LIMIT, _ -> {}),
        new Claims(self, Selector.parse(selector), new AlwaysHeld(expired)),
        _ -> {});
  }

  void namespace(String name) {
    admin
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
  }

  /** A set of three with the image {@code app:1}, created and seen by its controller. */
  void set(String namespace, String name) {
    admin
        .load(
            yaml(
                """
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: %1$s}
                spec:
                  replicas: 3
                  serviceName: %1$s
                  podManagementPolicy: Parallel
                  selector: {matchLabels: {app: %1$s}}
                  template:
                    metadata: {labels: {app: %1$s}}
                    spec:
                      containers: [{name: app, image: "app:1"}]
                """
                    .formatted(name)))
        .inNamespace(namespace)
        .create();
    await(
        "three pods",
        () ->
            admin.pods().inNamespace(namespace).withLabel("app", name).list().getItems().size() == 3
                && observed(namespace, name));
  }

  /**
   * For a moment after a policy on StatefulClusters is made, the API server takes none.
   *
   * @param workload its name, or its fields, as in {@code kind: Deployment, name: app}
   */
  void cluster(String namespace, String name, String workload) {
    await("the API server takes a StatefulCluster", () -> created(namespace, name, workload));
  }

  private boolean created(String namespace, String name, String workload) {
    try {
      create(namespace, name, workload);
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_UNAVAILABLE) {
        return false;
      }
      throw e;
    }
  }

  private void create(String namespace, String name, String workload) {
    create(
        namespace,
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: %s}
        spec:
          components:
          - name: app
            workload: {%s}
            driver: {type: none}
        """
            .formatted(name, workload.contains(":") ? workload : "name: " + workload));
  }

  void create(String namespace, String yaml) {
    admin.load(yaml(yaml)).inNamespace(namespace).create();
  }

  private static InputStream yaml(String text) {
    return new java.io.ByteArrayInputStream(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  /** There is no node in this rig to say so: every pod runs and is ready. */
  void ready(String namespace) {
    admin
        .pods()
        .inNamespace(namespace)
        .list()
        .getItems()
        .forEach(p ->
            admin
                .resource(p)
                .subresource("status")
                .patch(
                    PatchContext.of(PatchType.JSON_MERGE),
                    "{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"));
  }

  StatefulSet set(String namespace, String name, boolean fresh) {
    if (fresh) {
      await("the controller", () -> observed(namespace, name));
    }
    return admin.apps().statefulSets().inNamespace(namespace).withName(name).get();
  }

  private boolean observed(String namespace, String name) {
    StatefulSet set = admin.apps().statefulSets().inNamespace(namespace).withName(name).get();
    return set.getStatus() != null
        && set.getMetadata().getGeneration().equals(set.getStatus().getObservedGeneration())
        && set.getStatus().getUpdateRevision() != null;
  }

  StatefulCluster cluster(String namespace, String name) {
    return admin.resources(StatefulCluster.class).inNamespace(namespace).withName(name).get();
  }

  /** What is reported of a look that leads to nothing. */
  static Report report(Sight sight) {
    return new Reporter(new Planner(Drivers::policy)).report(sight.snapshot(), new Decision.Done());
  }

  static void await(String what, BooleanSupplier condition) {
    Instant end = Instant.now().plus(Duration.ofSeconds(60));
    while (Instant.now().isBefore(end)) {
      if (condition.getAsBoolean()) {
        return;
      }
      try {
        Thread.sleep(100);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    throw new AssertionError("waited in vain for " + what);
  }

  @Override
  public void close() {
    operator.close();
    plane.close();
  }
}
