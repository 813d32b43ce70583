package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.operator.observe.Reads.Pending;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The requests of one look at one namespace: each is sent once, and none waits for another. */
final class Look implements AutoCloseable {

  private static final Duration DEADLINE = Duration.ofSeconds(8);

  /**
   * What a look had to ask for. The next one asks for it before it knows that it must: a wrong
   * guess costs a request and says nothing.
   */
  record Needs(List<Live.Name> workloads, boolean rolling, Set<String> nodes) {
    static final Needs UNKNOWN = new Needs(List.of(), false, Set.of());
  }

  private final KubernetesClient client;
  private final String namespace;
  private final Reads reads = new Reads(DEADLINE);
  private final Map<Live.Name, Pending<Live>> workloads = new HashMap<>();
  private final Map<String, Pending<Node>> nodes = new HashMap<>();
  private @Nullable Pending<List<PodDisruptionBudget>> budgets;
  private final Pending<List<StatefulCluster>> clusters;

  Look(KubernetesClient client, String namespace, Needs expected) {
    this.client = client;
    this.namespace = namespace;
    expected.workloads().forEach(this::workload);
    this.clusters =
        reads.begin(
            "listing StatefulClusters",
            () -> client.resources(StatefulCluster.class).inNamespace(namespace).list().getItems());
    if (expected.rolling()) {
      budgets();
      expected.nodes().forEach(this::node);
    }
  }

  Pending<Live> workload(Live.Name name) {
    return workloads.computeIfAbsent(
        name, _ -> reads.begin("reading " + name.kind() + " " + name.name(), () -> read(name)));
  }

  private @Nullable Live read(Live.Name name) {
    return switch (name.kind()) {
      case STATEFUL_SET -> {
        var set = client.apps().statefulSets().inNamespace(namespace).withName(name.name()).get();
        yield set == null ? null : new Live.Set(set);
      }
      case DEPLOYMENT -> {
        var found = client.apps().deployments().inNamespace(namespace).withName(name.name()).get();
        yield found == null ? null : new Live.Deployed(found);
      }
    };
  }

  /**
   * Never begun before the workload was read: the pods are then as new as the resourceVersion on
   * which a write to it is conditional, and what happens to them later moves it.
   */
  Pending<Crew> crew(Live workload) {
    return reads.begin(
        "listing the pods of " + workload.metadata().getName(),
        () -> {
          List<Pod> pods =
              client
                  .pods()
                  .inNamespace(namespace)
                  .withLabelSelector(workload.selector())
                  .list()
                  .getItems();
          return switch (workload) {
            case Live.Set set -> Crew.of(set, pods);
            // After the pods, and not beside them: a ReplicaSet is there before any pod of it.
            case Live.Deployed deployment -> Crew.of(deployment, pods, replicaSets(deployment));
          };
        });
  }

  private List<ReplicaSet> replicaSets(Live.Deployed deployment) {
    return client
        .apps()
        .replicaSets()
        .inNamespace(namespace)
        .withLabelSelector(deployment.selector())
        .list()
        .getItems();
  }

  Pending<List<StatefulCluster>> clusters() {
    return clusters;
  }

  Pending<List<PodDisruptionBudget>> budgets() {
    if (budgets == null) {
      budgets =
          reads.begin(
              "listing PodDisruptionBudgets",
              () ->
                  client
                      .policy()
                      .v1()
                      .podDisruptionBudget()
                      .inNamespace(namespace)
                      .list()
                      .getItems());
    }
    return budgets;
  }

  Pending<Node> node(String name) {
    return nodes.computeIfAbsent(
        name, _ -> reads.begin("reading node " + name, () -> client.nodes().withName(name).get()));
  }

  <T> Pending<T> begin(String what, Callable<@Nullable T> read) {
    return reads.begin(what, read);
  }

  @Override
  public void close() {
    reads.close();
  }
}
