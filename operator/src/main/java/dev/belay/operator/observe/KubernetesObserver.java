package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Fleet;
import dev.belay.core.model.Spec;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Snapshot.Selection;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.operator.DriverPool;
import dev.belay.operator.observe.Look.Needs;
import dev.belay.operator.wire.Addresses;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Reads everything about one StatefulCluster, always from the API server itself and the system. */
public final class KubernetesObserver {

  private final KubernetesClient client;
  private final Self self;
  private final GuardProbe guard;
  private final DriverPool drivers;
  private final Clock clock;

  /** What the last look at each cluster needed; only names, nothing that was read. */
  private final Map<String, Needs> needs = new ConcurrentHashMap<>();

  public KubernetesObserver(
      KubernetesClient client, Self self, GuardProbe guard, DriverPool drivers, Clock clock) {
    this.client = client;
    this.self = self;
    this.guard = guard;
    this.drivers = drivers;
    this.clock = clock;
  }

  /** What was seen: the snapshot, and the objects behind it that recording and acting build on. */
  public record Sight(Snapshot snapshot, StatefulCluster cluster, Map<String, Behind> behind) {

    /** The same among other clusters. */
    public Sight among(Fleet others) {
      return new Sight(snapshot.among(others), cluster, behind);
    }

    /** The same under another selection. */
    public Sight selectedAs(Selection selection) {
      return new Sight(snapshot.selectedAs(selection), cluster, behind);
    }

    /** Where the members of a component are asked; empty when its set could not be read. */
    public Optional<Addresses> addresses(int component) {
      var part = cluster.getSpec().components().get(component);
      return Optional.ofNullable(behind.get(part.name()))
          .map(Behind::workload)
          .flatMap(workload -> workload.asOptional())
          .map(workload ->
              new Addresses(
                  part.driver(),
                  cluster.getMetadata().getNamespace(),
                  workload.service(),
                  Objects.requireNonNullElse(part.workload().service(), workload.service())));
    }
  }

  /** What stands behind a component: the workload itself, and where its members answer. */
  public record Behind(Fact<Live> workload, List<Seat> seats) {}

  /** Empty when there is no such StatefulCluster. */
  public Optional<Sight> observe(String namespace, String name) {
    // Before the first read: everything in the snapshot is at least as new as it says.
    Instant now = clock.instant();
    String key = namespace + "/" + name;
    try (var look = new Look(client, namespace, needs.getOrDefault(key, Needs.UNKNOWN))) {
      @Nullable StatefulCluster cluster =
          client.resources(StatefulCluster.class).inNamespace(namespace).withName(name).get();
      if (cluster == null) {
        needs.remove(key);
        return Optional.empty();
      }
      return Optional.of(observe(look, cluster, key, now));
    }
  }

  private Sight observe(Look look, StatefulCluster cluster, String key, Instant now) {
    Spec spec = Mapping.spec(cluster);
    var parts = new ArrayList<ComponentLook>();
    for (int i = 0; i < spec.components().size(); i++) {
      parts.add(new ComponentLook(look, cluster, i, spec.components().get(i), now));
    }
    parts.forEach(p -> p.askForPods(guard));
    parts.forEach(p -> p.askMembers(drivers));
    boolean rolling = parts.stream().anyMatch(ComponentLook::rolling);
    if (rolling) {
      parts.forEach(ComponentLook::askTheSurroundings);
    }
    List<Component> components = parts.stream().map(p -> p.component(rolling)).toList();
    needs.put(key, needed(spec, parts, rolling));
    var behind = new HashMap<String, Behind>();
    for (int i = 0; i < parts.size(); i++) {
      behind.put(spec.components().get(i).name(), parts.get(i).behind());
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

  private static Needs needed(Spec spec, List<ComponentLook> parts, boolean rolling) {
    var nodes = new TreeSet<String>();
    parts.forEach(p -> nodes.addAll(p.nodes()));
    return new Needs(
        spec.components().stream().map(c -> new Live.Name(c.kind(), c.workload())).toList(),
        rolling,
        nodes);
  }
}
