package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Budget;
import dev.belay.core.model.Component;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Spec.ComponentSpec;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.operator.DriverPool;
import dev.belay.operator.observe.KubernetesObserver.Behind;
import dev.belay.operator.observe.Reads.Pending;
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
  private final Pending<Live> pendingWorkload;
  private Fact<Live> live = Fact.unknown("not read yet");
  private Fact<Crew> crew = Fact.unknown("not read yet");
  private List<Seat> seats = List.of();
  private @Nullable Pending<Crew> pendingCrew;
  private @Nullable Pending<Fact<Guarding>> pendingGuard;
  private @Nullable Pending<Fact<Topology>> pendingTopology;

  ComponentLook(Look look, StatefulCluster cluster, int index, ComponentSpec spec, Instant now) {
    this.look = look;
    this.cluster = cluster;
    this.index = index;
    this.spec = spec;
    this.now = now;
    this.pendingWorkload = look.workload(name());
  }

  private Live.Name name() {
    return new Live.Name(spec.kind(), spec.workload());
  }

  /** The workload is here: ask for its pods, and for what would become of a template change. */
  void askForPods(GuardProbe guard) {
    live = pendingWorkload.await(spec.absent(cluster.getMetadata().getNamespace()).why());
    live.asOptional()
        .ifPresent(w -> {
          pendingCrew = look.crew(w);
          pendingGuard =
              look.begin("probing the guard", () -> guard.probe(cluster, spec.name(), w, now));
        });
  }

  /** The pods are here: ask the members in them. */
  void askMembers(DriverPool drivers) {
    crew = live.flatMap(_ -> await(pendingCrew, "the pods were not listed"));
    seats =
        live.asOptional()
            .map(w -> Seats.of(cluster.getSpec().components().get(index).driver(), w, pods()))
            .orElse(List.of());
    pendingTopology =
        look.begin(
            "asking the members",
            () -> drivers.driver(cluster, index).observe(seats, DRIVER_DEADLINE));
  }

  /** Members may be touched, of this component or of another: ask for what else must allow it. */
  void askTheSurroundings() {
    look.budgets();
    nodes().forEach(look::node);
  }

  /**
   * @param rolling whether any component of the cluster is: who leaves here is one too many there
   */
  Component component(boolean rolling) {
    Map<String, Fact<Optional<String>>> leaving = rolling ? leaving() : Map.of();
    return new Component(
        spec,
        workload(),
        live.flatMap(w ->
            crew.map(c -> {
              var reading = new Pods(w, c, now);
              return c.pods().stream().map(p -> reading.pod(p, leaves(p, leaving))).toList();
            })),
        await(pendingTopology, "the members were not asked").flatMap(t -> t),
        rolling ? budgets() : Fact.unknown(NOT_ROLLING),
        await(pendingGuard, "there is no workload").flatMap(g -> g),
        look.clusters().await("no answer").map(all -> Rivals.of(all, cluster, name(), mark())),
        List.of());
  }

  /** What a set is at it says itself; what a Deployment is at only its pods say. */
  private Fact<Workload> workload() {
    return live.flatMap(w ->
        switch (w) {
          case Live.Set set -> Fact.known(Workloads.workload(set));
          case Live.Deployed deployment -> crew.map(c -> Workloads.workload(deployment, c));
        });
  }

  private Optional<String> mark() {
    return live.asOptional().flatMap(w -> w.mark().cluster());
  }

  private List<io.fabric8.kubernetes.api.model.Pod> pods() {
    return crew.asOptional().map(Crew::pods).orElse(List.of());
  }

  Behind behind() {
    return new Behind(live, seats);
  }

  /** Whether members may be touched: a pod is not at the newest revision, or just came to it. */
  boolean rolling() {
    Optional<Workload> workload = workload().asOptional();
    String newest = workload.map(Workload::updateRevision).orElse("");
    boolean unfinished = workload.filter(w -> !w.currentRevision().equals(newest)).isPresent();
    return unfinished
        || crew.asOptional().stream()
            .flatMap(c -> c.pods().stream().map(c::revision))
            .anyMatch(r -> !newest.equals(r));
  }

  Set<String> nodes() {
    var names = new TreeSet<String>();
    for (var pod : pods()) {
      Optional.ofNullable(pod.getSpec().getNodeName()).ifPresent(names::add);
    }
    return names;
  }

  private Fact<List<Budget>> budgets() {
    return look.budgets().await("no answer").map(all -> Budgets.covering(pods(), all));
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
