package dev.belay.sim.operator;

import dev.belay.core.loop.Loop;
import dev.belay.core.model.Among;
import dev.belay.core.model.Budget;
import dev.belay.core.model.Component;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.world.ApiServer;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.DeploymentController;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.SetObject;
import dev.belay.sim.world.Template;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observe. The first look of a turn goes through watch caches, which lag and may stand still; the
 * second, before anything disruptive, asks the API server. The members are always asked live. The
 * reads of one look happen one after another while the world moves on.
 */
final class Eyes implements Loop.Observer {

  /** A cache is behind, but never behind the event that it has just handed on. */
  private static final Duration LAG = Duration.ofMillis(2);

  private static final int NO_ORDINAL = -1;

  private static final Duration PROBE_AGAIN = Duration.ofSeconds(20);

  private final Instance instance;
  private final Members members;
  private final Errands errands;
  private final Questions questions;
  private Optional<Snapshot> last = Optional.empty();
  private Fact<Guarding> guard = Fact.unknown("not probed yet");
  private Instant probed = Instant.EPOCH;
  private final Marks marks;
  private final Claims claims;
  private final Map<String, SetObject> sets = new TreeMap<>();
  private @Nullable ClusterObject cluster;

  Eyes(Instance instance, Errands errands, Questions questions, Marks marks) {
    this.marks = marks;
    this.claims = new Claims(instance);
    this.errands = errands;
    this.questions = questions;
    this.instance = instance;
    this.members = new Members(instance);
  }

  /** With the marks of this owner: what was written is observed before anything is decided. */
  @Override
  public Snapshot observe() {
    instance.reach(Instance.Point.OBSERVE);
    boolean live = instance.looks++ > 0;
    Snapshot seen = look(live);
    if (!live && marks.keep(Objects.requireNonNull(cluster), sets)) {
      seen = look(true);
    }
    instance.stamped = marks.complete(seen, sets);
    last = Optional.of(seen);
    return seen;
  }

  private Snapshot look(boolean live) {
    instance.looked = instance.world.time.now();
    instance.asOf = instance.looked;
    instance.takesTime(0, 4);
    ClusterObject read = cluster(live);
    cluster = read;
    sets.clear();
    var parts = new ArrayList<Component>();
    for (Part part : instance.world.parts()) {
      parts.add(component(part, read.spec(), live));
    }
    probe();
    parts.replaceAll(c -> withMembers(c, members.topology(part(c)), read));
    var seen =
        new Snapshot(
                new Snapshot.Subject(
                    ApiServer.NAMESPACE,
                    read.name(),
                    read.generation(),
                    Long.toString(read.version()),
                    read.deleting()),
                instance.self,
                read.spec(),
                parts,
                read.memory(),
                instance.clock())
            .selectedAs(claims.selection(read));
    parts.replaceAll(c -> c.withChecks(questions.answers(c, seen)));
    return seen.seeing(parts);
  }

  /** Whether this install has anything to do with the cluster; empty when there is none. */
  Optional<Boolean> concerns() {
    return instance.world.api.clusterAsOf(view(Fault.STALE_CLUSTER)).map(claims::concerns);
  }

  /** What was seen last. */
  Optional<Snapshot> last() {
    return last;
  }

  private Component component(Part part, Spec spec, boolean live) {
    Spec.ComponentSpec of =
        Among.first(spec.components(), c -> c.name().equals(part.name())).orElseThrow();
    Fact<Workload> workload = read(live, () -> workload(part, live));
    boolean exists = live ? part.store.exists() : part.store.existedAsOf(view(Fault.STALE_SET));
    Fact<List<Pod>> pods = read(live, () -> pods(part, live));
    Fact<List<Budget>> budgets = read(live, () -> budgets(part));
    if (!exists) {
      sets.remove(part.name());
    }
    Fact.Unknown<Workload> absent = of.absent(ApiServer.NAMESPACE);
    return new Component(
        of,
        exists ? workload : absent,
        exists ? pods : Fact.unknown(absent.why()),
        Fact.unknown("not asked yet"),
        budgets,
        guard,
        Fact.known(Optional.empty()),
        List.of());
  }

  private Component withMembers(Component c, Fact<Topology> topology, ClusterObject cluster) {
    return new Component(
        c.spec(),
        c.workload(),
        c.pods(),
        topology,
        c.budgets(),
        c.workload().asOptional().filter(w -> w.update() == Workload.Update.ON_DELETE).isPresent()
            ? Fact.known(Guarding.ON_DELETE)
            : guard,
        c.rival(),
        c.checks(),
        errands.answers(c.name(), cluster.memory()));
  }

  private Part part(Component component) {
    return instance.world.part(component.name()).orElseThrow();
  }

  private ClusterObject cluster(boolean live) {
    if (live && instance.fails()) {
      throw new Unreadable("503");
    }
    Optional<ClusterObject> seen =
        live
            ? instance.world.api.cluster()
            : instance.world.api.clusterAsOf(view(Fault.STALE_CLUSTER));
    return seen.orElseThrow(() -> new Unreadable("no StatefulCluster"));
  }

  private SetObject set(Part part, boolean live) {
    return live ? part.set() : part.store.setAsOf(view(Fault.STALE_SET));
  }

  private List<Pod> pods(Part part, boolean live) {
    var pods = new ArrayList<Pod>();
    seen(part, live).forEach(p -> pods.add(pod(part, p)));
    return pods;
  }

  private List<PodObject> seen(Part part, boolean live) {
    return live ? part.pods() : part.store.podsAsOf(view(Fault.STALE_PODS));
  }

  /** Caches serve through an outage; a live read does not. */
  private <T> Fact<T> read(boolean live, Supplier<T> reading) {
    if (live && instance.fails()) {
      return Fact.unknown("the API server answered 503");
    }
    instance.takesTime(0, live ? 6 : 1);
    return Fact.known(reading.get());
  }

  private Instant view(Fault pinned) {
    Instant view =
        instance
            .world
            .weather
            .standsStill(pinned)
            .or(() -> instance.world.installs.cutSince(instance.install))
            .orElseGet(() -> instance.world.time.now().minus(LAG));
    instance.asOf = view.isBefore(instance.asOf) ? view : instance.asOf;
    return view;
  }

  private Workload workload(Part part, boolean live) {
    SetObject set = set(part, live);
    sets.put(part.name(), set);
    boolean deployment = part.setup.isDeployment();
    String newest = set.spec().template().revision();
    return new Workload(
        part.setup.kind(),
        set.name(),
        set.uid(),
        Long.toString(set.version()),
        set.generation(),
        set.status().observedGeneration(),
        set.spec().replicas(),
        set.spec().firstOrdinal(),
        set.spec().update(),
        set.spec().partition(),
        deployment ? Workload.Order.PARALLEL : set.spec().order(),
        deployment
            ? DeploymentController.other(seen(part, live), newest)
            : set.status().currentRevision(),
        deployment ? newest : set.status().updateRevision(),
        Map.of(Template.CONTAINER, set.spec().template().image()),
        Template.CONTAINER,
        false,
        "");
  }

  private Pod pod(Part part, PodObject pod) {
    Duration minReady = part.setup.minReady();
    boolean available = pod.available(minReady, instance.world.time.now());
    return new Pod(
        pod.name(),
        pod.uid(),
        Long.toString(pod.version()),
        part.setup.isDeployment() ? NO_ORDINAL : pod.ordinal(),
        pod.revision(),
        available
            ? Pod.Readiness.AVAILABLE
            : pod.ready() ? Pod.Readiness.READY : Pod.Readiness.UNREADY,
        pod.terminating(),
        pod.state().trouble(),
        pod.created(),
        Map.of(Template.CONTAINER, pod.template().image()),
        List.of(pod.name()),
        Fact.known(part.kubelet.leaving(pod.ordinal())),
        pod.state().held());
  }

  private List<Budget> budgets(Part part) {
    if (!instance.world.weather.holds(Fault.BUDGET_EXHAUSTED)) {
      return List.of();
    }
    return List.of(new Budget("pdb", 0, part.pods().stream().map(PodObject::name).toList()));
  }

  /** A dry-run template change shows whether the policies hold. */
  private void probe() {
    if (instance.world.time.now().isBefore(probed.plus(PROBE_AGAIN))
        && guard instanceof Fact.Known) {
      return;
    }
    if (instance.fails()) {
      guard = Fact.unknown("the API server answered 503");
    } else {
      instance.takesTime(1, 5);
      guard = Fact.known(instance.world.guarding());
      probed = instance.world.time.now();
    }
  }
}
