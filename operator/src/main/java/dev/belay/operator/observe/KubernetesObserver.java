package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.snapshot.Budget;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Snapshot.Self;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload;
import dev.belay.operator.DriverPool;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reads everything about one StatefulCluster, always from the API server itself and the system. */
public final class KubernetesObserver {

  private static final Duration DEADLINE = Duration.ofSeconds(8);
  private static final Duration DRIVER_DEADLINE = Duration.ofSeconds(2);

  private final KubernetesClient client;
  private final Self self;
  private final GuardProbe guard;
  private final DriverPool drivers;
  private final Clock clock;

  public KubernetesObserver(
      KubernetesClient client, Self self, GuardProbe guard, DriverPool drivers, Clock clock) {
    this.client = client;
    this.self = self;
    this.guard = guard;
    this.drivers = drivers;
    this.clock = clock;
  }

  /** What was seen: the snapshot, and the objects behind it that recording and acting build on. */
  public record Sight(Snapshot snapshot, StatefulCluster cluster, Map<String, Behind> behind) {}

  /** What stands behind a component: the set itself, and where its members answer. */
  public record Behind(Fact<StatefulSet> set, List<Seat> seats) {}

  /** Empty when there is no such StatefulCluster. */
  public Optional<Sight> observe(String namespace, String name) {
    return Optional.ofNullable(
            client.resources(StatefulCluster.class).inNamespace(namespace).withName(name).get())
        .map(this::observe);
  }

  private Sight observe(StatefulCluster cluster) {
    Instant now = clock.instant();
    Spec spec = Mapping.spec(cluster);
    var components = new ArrayList<Component>();
    var behind = new HashMap<String, Behind>();
    try (var reads = new Reads(DEADLINE)) {
      for (int i = 0; i < spec.components().size(); i++) {
        Sets sets = new Sets(reads, cluster, spec.components().get(i), now);
        behind.put(spec.components().get(i).name(), new Behind(sets.set, sets.seats(i)));
        components.add(sets.component(i));
      }
    }
    var meta = cluster.getMetadata();
    var subject =
        new Snapshot.Subject(
            meta.getNamespace(),
            meta.getName(),
            Objects.requireNonNullElse(meta.getGeneration(), 0L),
            meta.getResourceVersion(),
            meta.getDeletionTimestamp() != null);
    return new Sight(
        new Snapshot(subject, self, spec, components, Mapping.memory(cluster), now),
        cluster,
        behind);
  }

  /** The reads of one component, in the order in which they depend on each other. */
  private final class Sets {

    private final Reads reads;
    private final StatefulCluster cluster;
    private final Spec.ComponentSpec spec;
    private final Instant now;
    private final String namespace;
    private final Fact<StatefulSet> set;
    private final Fact<List<io.fabric8.kubernetes.api.model.Pod>> pods;

    Sets(Reads reads, StatefulCluster cluster, Spec.ComponentSpec spec, Instant now) {
      this.reads = reads;
      this.cluster = cluster;
      this.spec = spec;
      this.now = now;
      this.namespace = cluster.getMetadata().getNamespace();
      this.set =
          reads
              .<StatefulSet>begin(
                  "reading StatefulSet " + spec.workload(),
                  () ->
                      client
                          .apps()
                          .statefulSets()
                          .inNamespace(namespace)
                          .withName(spec.workload())
                          .get())
              .await("there is no StatefulSet " + spec.workload() + " in namespace " + namespace);
      this.pods =
          set.flatMap(s ->
              reads
                  .begin("listing the pods of " + spec.workload(), () -> list(s))
                  .await("no answer"));
    }

    private List<io.fabric8.kubernetes.api.model.Pod> list(StatefulSet s) {
      var filter = new Pods(s, now);
      return client
          .pods()
          .inNamespace(namespace)
          .withLabelSelector(s.getSpec().getSelector())
          .list()
          .getItems()
          .stream()
          .filter(filter::mine)
          .toList();
    }

    List<Seat> seats(int i) {
      return set.asOptional()
          .map(s ->
              Seats.of(
                  cluster.getSpec().components().get(i).driver(),
                  s,
                  pods.asOptional().orElse(List.of())))
          .orElse(List.of());
    }

    Component component(int i) {
      Fact<Workload> workload = set.map(Workloads::workload);
      var guarding =
          set.asOptional()
              .map(s -> reads.<Guarding>begin("probing the guard", () -> guard.probe(s, now)));
      var topology =
          reads.begin(
              "asking the members",
              () -> drivers.driver(cluster, i).observe(seats(i), DRIVER_DEADLINE));
      var rival =
          reads.begin(
              "listing StatefulClusters", () -> Rivals.olderThan(client, cluster, spec.workload()));
      boolean rolling = rolling(workload);
      Fact<List<Budget>> budgets =
          rolling ? budgets() : Fact.unknown("not read while nothing is outdated");
      Map<String, Fact<Optional<String>>> leaving = rolling ? leaving() : Map.of();
      Fact<List<Pod>> seen =
          set.flatMap(s -> {
            var filter = new Pods(s, now);
            return pods.map(
                list -> list.stream().map(p -> filter.pod(p, leaves(p, leaving))).toList());
          });
      return new Component(
          spec,
          workload,
          seen,
          topology.await("no answer").flatMap(t -> t),
          budgets,
          guarding.map(g -> g.await("no answer")).orElse(Fact.unknown("there is no workload")),
          rival.await("no answer"));
    }

    private boolean rolling(Fact<Workload> workload) {
      String newest = workload.asOptional().map(Workload::updateRevision).orElse("");
      return pods.asOptional().orElse(List.of()).stream()
          .anyMatch(p -> !newest.equals(Pods.labels(p).get("controller-revision-hash")));
    }

    private Fact<List<Budget>> budgets() {
      return reads
          .begin(
              "listing PodDisruptionBudgets",
              () ->
                  Budgets.covering(
                      pods.asOptional().orElse(List.of()),
                      client
                          .policy()
                          .v1()
                          .podDisruptionBudget()
                          .inNamespace(namespace)
                          .list()
                          .getItems()))
          .await("no answer");
    }

    private Map<String, Fact<Optional<String>>> leaving() {
      var pending = new HashMap<String, Reads.Pending<Node>>();
      for (var pod : pods.asOptional().orElse(List.of())) {
        String node = pod.getSpec().getNodeName();
        if (node != null && !pending.containsKey(node)) {
          pending.put(
              node, reads.begin("reading node " + node, () -> client.nodes().withName(node).get()));
        }
      }
      var leaving = new HashMap<String, Fact<Optional<String>>>();
      pending.forEach((name, read) ->
          leaving.put(name, read.await("node " + name + " is gone").map(Nodes::leaving)));
      return leaving;
    }

    private static Fact<Optional<String>> leaves(
        io.fabric8.kubernetes.api.model.Pod pod, Map<String, Fact<Optional<String>>> leaving) {
      String node = pod.getSpec().getNodeName();
      return node == null
          ? Fact.known(Optional.empty())
          : leaving.getOrDefault(node, Fact.unknown("not read while nothing is outdated"));
    }
  }
}
