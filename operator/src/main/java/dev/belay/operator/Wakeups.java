package dev.belay.operator;

import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.observe.Live;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceAction;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceEvent;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches just the workloads that StatefulClusters name and the pods of those, and wakes the loop
 * when one changes. Events only wake; what is decided on is always read anew, so a lost or late
 * event costs time and nothing else.
 */
final class Wakeups implements AutoCloseable {

  private record Watched(List<Live.Name> workloads, Map<Live.Name, LabelSelector> pods) {}

  private record Watching(String uid, Watched what, List<SharedIndexInformer<?>> informers) {
    void stop() {
      informers.forEach(SharedIndexInformer::stop);
    }
  }

  /** How long a StatefulCluster may stand there before it is looked at for the first time. */
  private static final Duration OVERLOOKED = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  private final KubernetesClient client;
  private final ScheduledExecutorService rounds =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("wakeups").daemon().factory());
  private final Events events = new Events();
  private final Map<ResourceID, Watching> watching = new HashMap<>();

  Wakeups(KubernetesClient client) {
    this.client = client;
  }

  SimpleInboundEventSource<StatefulCluster> events() {
    return events;
  }

  /**
   * Wakes whoever is listed and was not looked at yet. Of a StatefulCluster that is made while its
   * predecessor is being forgotten, the framework loses the only event there is.
   */
  void lookFor(Supplier<Stream<StatefulCluster>> listed) {
    long pause = OVERLOOKED.toMillis();
    var _ =
        rounds.scheduleWithFixedDelay(() -> lookOnce(listed), pause, pause, TimeUnit.MILLISECONDS);
  }

  private void lookOnce(Supplier<Stream<StatefulCluster>> listed) {
    try {
      listed.get().filter(c -> !isWatched(c)).forEach(events::appeared);
    } catch (RuntimeException e) {
      // The next round comes all the same.
      LOG.warn("not all StatefulClusters could be looked for: {}", e.getMessage());
    }
  }

  /** Another one of the same name is another one. */
  private synchronized boolean isWatched(StatefulCluster cluster) {
    return Optional.ofNullable(watching.get(ResourceID.fromResource(cluster)))
        .filter(w -> w.uid().equals(cluster.getMetadata().getUid()))
        .isPresent();
  }

  /** The framework heeds an event about what it has no state of only if it names the object. */
  private static final class Events extends SimpleInboundEventSource<StatefulCluster> {
    Events() {
      super("wakeups");
    }

    void appeared(StatefulCluster cluster) {
      if (isRunning()) {
        getEventHandler()
            .handleEvent(
                new ResourceEvent(ResourceAction.ADDED, ResourceID.fromResource(cluster), cluster));
      }
    }
  }

  /** Looks at a cluster, also if it was not looked at yet. */
  void look(StatefulCluster cluster) {
    events.appeared(cluster);
  }

  /** Something was learnt that is no object of Kubernetes: look again. */
  void wake(StatefulCluster cluster) {
    events.propagateEvent(ResourceID.fromResource(cluster));
  }

  /**
   * Whether a change of a StatefulCluster is news. A status is written by Belay itself: to look
   * again because of it would undo every pause that a turn asked for. Only a new owner, or one that
   * has released the cluster, is news to another install.
   */
  static boolean wakes(StatefulCluster after, StatefulCluster before) {
    var now = after.getMetadata();
    var then = before.getMetadata();
    return !now.getUid().equals(then.getUid())
        || !Objects.equals(now.getGeneration(), then.getGeneration())
        || !Objects.equals(now.getDeletionTimestamp(), then.getDeletionTimestamp())
        || !Objects.equals(now.getFinalizers(), then.getFinalizers())
        || !Objects.equals(now.getLabels(), then.getLabels())
        || !Objects.equals(now.getAnnotations(), then.getAnnotations())
        || !Mapping.owner(after).equals(Mapping.owner(before));
  }

  /**
   * Watches what the cluster names now; the selectors of its workloads are known once they were
   * read.
   */
  synchronized void watch(Sight sight) {
    StatefulCluster cluster = sight.cluster();
    var id = ResourceID.fromResource(cluster);
    List<Live.Name> names =
        sight.snapshot().spec().components().stream()
            .map(c -> new Live.Name(c.kind(), c.workload()))
            .toList();
    var selectors = new HashMap<Live.Name, LabelSelector>();
    sight.behind().values().stream()
        .flatMap(b -> b.workload().asOptional().stream())
        .forEach(w -> selectors.put(w.name(), w.selector()));
    var wanted = new Watched(names, selectors);
    Optional<Watching> now = Optional.ofNullable(watching.get(id));
    String uid = cluster.getMetadata().getUid();
    if (now.filter(w -> w.uid().equals(uid) && w.what().equals(wanted)).isPresent()) {
      return;
    }
    now.ifPresent(Watching::stop);
    var informers = new ArrayList<SharedIndexInformer<?>>();
    String namespace = cluster.getMetadata().getNamespace();
    for (Live.Name name : names) {
      informers.add(
          switch (name.kind()) {
            case STATEFUL_SET ->
                client
                    .apps()
                    .statefulSets()
                    .inNamespace(namespace)
                    .withName(name.name())
                    .inform(waking(id));
            case DEPLOYMENT ->
                client
                    .apps()
                    .deployments()
                    .inNamespace(namespace)
                    .withName(name.name())
                    .inform(waking(id));
          });
    }
    for (LabelSelector selector : selectors.values()) {
      informers.add(
          client.pods().inNamespace(namespace).withLabelSelector(selector).inform(waking(id)));
    }
    watching.put(id, new Watching(uid, wanted, informers));
  }

  synchronized void forget(ResourceID id) {
    Optional.ofNullable(watching.remove(id)).ifPresent(Watching::stop);
  }

  private <T extends HasMetadata> ResourceEventHandler<T> waking(ResourceID id) {
    return new ResourceEventHandler<>() {
      @Override
      public void onAdd(T object) {
        events.propagateEvent(id);
      }

      @Override
      public void onUpdate(T before, T after) {
        boolean resync =
            before
                .getMetadata()
                .getResourceVersion()
                .equals(after.getMetadata().getResourceVersion());
        if (!resync) {
          events.propagateEvent(id);
        }
      }

      @Override
      public void onDelete(T object, boolean unknown) {
        events.propagateEvent(id);
      }
    };
  }

  @Override
  public synchronized void close() {
    rounds.shutdownNow();
    watching.values().forEach(Watching::stop);
    watching.clear();
  }
}
