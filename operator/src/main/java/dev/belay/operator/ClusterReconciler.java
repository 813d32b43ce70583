package dev.belay.operator;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.operator.lease.OtherInstalls;
import dev.belay.operator.metrics.Metrics;
import dev.belay.operator.select.Claims;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What JOSDK triggers: turns of the loop until there is nothing left to do at once. */
@ControllerConfiguration(name = "belay", triggerReconcilerOnAllEvents = true)
final class ClusterReconciler implements Reconciler<StatefulCluster> {

  /** Enough for a chain of record-only steps; after more than that others get their turn. */
  private static final int TURNS = 8;

  private static final Duration AT_ONCE = Duration.ofMillis(50);

  private static final Duration AFTER_TROUBLE = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  private final ClusterLoop loop;
  private final Claims claims;
  private final Places places;
  private final Wakeups wakeups;
  private final Metrics metrics;

  /** The process is one of its parties: it ends when the last reconcile has. */
  private final Phaser underWay = new Phaser(1);

  private volatile Supplier<Stream<StatefulCluster>> listed = Stream::empty;

  ClusterReconciler(
      ClusterLoop loop, Claims claims, Places places, Wakeups wakeups, Metrics metrics) {
    this.loop = loop;
    this.claims = claims;
    this.places = places;
    this.wakeups = wakeups;
    this.metrics = metrics;
  }

  @Override
  public List<EventSource<?, StatefulCluster>> prepareEventSources(
      EventSourceContext<StatefulCluster> context) {
    Supplier<Stream<StatefulCluster>> ours =
        () -> context.getPrimaryCache().list().filter(claims::concerns);
    places.listedBy(ours);
    wakeups.lookFor(() -> claims.held() ? ours.get() : Stream.empty());
    listed = context.getPrimaryCache()::list;
    return List.of(wakeups.events());
  }

  @Override
  public UpdateControl<StatefulCluster> reconcile(
      StatefulCluster primary, Context<StatefulCluster> context) {
    underWay.register();
    try {
      return reconciled(primary, context);
    } finally {
      underWay.arriveAndDeregister();
    }
  }

  /** Waits until no reconcile is under way. */
  void awaitEnd(Duration limit) {
    try {
      underWay.awaitAdvanceInterruptibly(
          underWay.arriveAndDeregister(), limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("a reconcile is still under way after {} s", limit.toSeconds());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private UpdateControl<StatefulCluster> reconciled(
      StatefulCluster primary, Context<StatefulCluster> context) {
    var meta = primary.getMetadata();
    if (context.isPrimaryResourceDeleted()) {
      return forget(primary);
    }
    if (!claims.held() || !claims.concerns(primary)) {
      standDown(primary);
      return UpdateControl.noUpdate();
    }
    Duration again = AT_ONCE;
    for (int i = 0; i < TURNS && again.compareTo(AT_ONCE) <= 0 && claims.held(); i++) {
      Optional<ClusterLoop.Taken> taken;
      try {
        taken = loop.turn(meta.getNamespace(), meta.getName());
      } catch (KubernetesClientException | IllegalStateException | IllegalArgumentException e) {
        // An API server that is away comes back without an event: never wait for one.
        LOG.warn("{}/{}: {}", meta.getNamespace(), meta.getName(), e.getMessage());
        metrics.failed(meta.getNamespace(), meta.getName());
        return UpdateControl.<StatefulCluster>noUpdate().rescheduleAfter(AFTER_TROUBLE);
      }
      if (taken.isEmpty()) {
        return forget(primary);
      }
      wakeups.watch(taken.get().sight());
      metrics.taken(taken.get().sight().snapshot(), taken.get().turn());
      again = taken.get().turn().again();
    }
    return UpdateControl.<StatefulCluster>noUpdate().rescheduleAfter(again);
  }

  /** This process acts from now on: every cluster that concerns it is looked at. */
  void leads() {
    listed.get().filter(claims::concerns).forEach(wakeups::look);
  }

  /** This process stops acting. */
  void stops() {
    // The process may lead again before it is told that it stopped.
    listed.get().filter(c -> !claims.held() || !claims.concerns(c)).forEach(this::standDown);
    metrics.unmanaged(Stream.empty());
  }

  /** Finds the installs that are gone, and the clusters that no install acts on. */
  void lookAround(OtherInstalls others) {
    try {
      if (claims.held()) {
        others.look(claims.otherLeases(listed.get()));
      }
      // The look may outlast the Lease, and a process that stands by reports no cluster.
      Stream<StatefulCluster> reported = claims.held() ? listed.get() : Stream.empty();
      metrics.unmanaged(reported.filter(claims::isUnmanaged).map(StatefulCluster::getMetadata));
    } catch (RuntimeException e) {
      // An exception would end all further looks.
      LOG.warn("the Leases of other installs were not looked at: {}", e.toString());
    }
  }

  private UpdateControl<StatefulCluster> forget(StatefulCluster cluster) {
    wakeups.forget(ResourceID.fromResource(cluster));
    loop.forget(cluster.getMetadata().getNamespace(), cluster.getMetadata().getUid());
    leave(cluster);
    return UpdateControl.noUpdate();
  }

  /** Another install has the StatefulCluster, or none has. */
  private void standDown(StatefulCluster cluster) {
    wakeups.forget(ResourceID.fromResource(cluster));
    loop.standDown(cluster.getMetadata().getUid());
    leave(cluster);
  }

  private void leave(StatefulCluster cluster) {
    places.forget(cluster.getMetadata().getNamespace(), cluster.getMetadata().getName());
    metrics.forget(cluster.getMetadata().getNamespace(), cluster.getMetadata().getName());
  }
}
