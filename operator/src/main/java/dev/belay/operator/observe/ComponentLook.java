package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.snapshot.Budget;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Spec.ComponentSpec;
import dev.belay.core.snapshot.Topology;
import dev.belay.core.snapshot.Workload;
import dev.belay.operator.DriverPool;
import dev.belay.operator.observe.KubernetesObserver.Behind;
import dev.belay.operator.observe.Reads.Pending;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The reads of one component, in the order in which they depend on each other. */
final class ComponentLook {

  private static final Duration DRIVER_DEADLINE = Duration.ofSeconds(2);
  private static final String NOT_ROLLING = "not read while nothing is outdated";

  private final Look look;
  private final StatefulCluster cluster;
  private final int index;
  private final ComponentSpec spec;
  private final Instant now;
  private final Pending<StatefulSet> pendingSet;
  private Fact<StatefulSet> set = Fact.unknown("not read yet");
  private Fact<List<io.fabric8.kubernetes.api.model.Pod>> pods = Fact.unknown("not read yet");
  private List<Seat> seats = List.of();
  private @Nullable Pending<List<io.fabric8.kubernetes.api.model.Pod>> pendingPods;
  private @Nullable Pending<Fact<Guarding>> pendingGuard;
  private @Nullable Pending<Fact<Topology>> pendingTopology;

  ComponentLook(Look look, StatefulCluster cluster, int index, ComponentSpec spec, Instant now) {
    this.look = look;
    this.cluster = cluster;
    this.index = index;
    this.spec = spec;
    this.now = now;
    this.pendingSet = look.set(spec.workload());
  }

  /** The set is here: ask for its pods, and for what would become of a template change. */
  void askForPods(GuardProbe guard) {
    set =
        pendingSet.await(
            "there is no StatefulSet %s in namespace %s"
                .formatted(spec.workload(), cluster.getMetadata().getNamespace()));
    set.asOptional()
        .ifPresent(s -> {
          pendingPods = look.pods(s);
          pendingGuard =
              look.begin("probing the guard", () -> guard.probe(cluster, spec.name(), s, now));
        });
  }

  /** The pods are here: ask the members in them and, in a roll-out, for what else must allow it. */
  void askMembers(DriverPool drivers) {
    pods =
        set.flatMap(s -> {
          var filter = new Pods(s, now);
          return await(pendingPods, "the pods were not listed")
              .map(list -> list.stream().filter(filter::mine).toList());
        });
    List<io.fabric8.kubernetes.api.model.Pod> present = pods.asOptional().orElse(List.of());
    seats =
        set.asOptional()
            .map(s -> Seats.of(cluster.getSpec().components().get(index).driver(), s, present))
            .orElse(List.of());
    pendingTopology =
        look.begin(
            "asking the members",
            () -> drivers.driver(cluster, index).observe(seats, DRIVER_DEADLINE));
    if (rolling()) {
      look.budgets();
      nodes().forEach(look::node);
    }
  }

  Component component() {
    boolean rolling = rolling();
    Map<String, Fact<Optional<String>>> leaving = rolling ? leaving() : Map.of();
    return new Component(
        spec,
        set.map(Workloads::workload),
        set.flatMap(s -> {
          var filter = new Pods(s, now);
          return pods.map(
              list -> list.stream().map(p -> filter.pod(p, leaves(p, leaving))).toList());
        }),
        await(pendingTopology, "the members were not asked").flatMap(t -> t),
        rolling ? budgets() : Fact.unknown(NOT_ROLLING),
        await(pendingGuard, "there is no workload").flatMap(g -> g),
        look.clusters()
            .await("no answer")
            .map(all -> Rivals.olderThan(all, cluster, spec.workload())),
        List.of());
  }

  Behind behind() {
    return new Behind(set, seats);
  }

  /** Whether members may be touched: a pod is not at the newest revision, or just came to it. */
  boolean rolling() {
    Optional<Workload> workload = set.map(Workloads::workload).asOptional();
    String newest = workload.map(Workload::updateRevision).orElse("");
    boolean unfinished = workload.filter(w -> !w.currentRevision().equals(newest)).isPresent();
    return unfinished
        || pods.asOptional().orElse(List.of()).stream()
            .anyMatch(p -> !newest.equals(Pods.labels(p).get("controller-revision-hash")));
  }

  Set<String> nodes() {
    var names = new TreeSet<String>();
    for (var pod : pods.asOptional().orElse(List.of())) {
      Optional.ofNullable(pod.getSpec().getNodeName()).ifPresent(names::add);
    }
    return names;
  }

  private Fact<List<Budget>> budgets() {
    return look.budgets()
        .await("no answer")
        .map(all -> Budgets.covering(pods.asOptional().orElse(List.of()), all));
  }

  private Map<String, Fact<Optional<String>>> leaving() {
    var leaving = new HashMap<String, Fact<Optional<String>>>();
    for (String name : nodes()) {
      leaving.put(name, look.node(name).await("node " + name + " is gone").map(Nodes::leaving));
    }
    return leaving;
  }

  private static Fact<Optional<String>> leaves(
      io.fabric8.kubernetes.api.model.Pod pod, Map<String, Fact<Optional<String>>> leaving) {
    String node = pod.getSpec().getNodeName();
    return node == null
        ? Fact.known(Optional.empty())
        : leaving.getOrDefault(node, Fact.unknown(NOT_ROLLING));
  }

  private static <T> Fact<T> await(@Nullable Pending<T> pending, String ifNotAsked) {
    return pending == null ? Fact.unknown(ifNotAsked) : pending.await("no answer");
  }
}
