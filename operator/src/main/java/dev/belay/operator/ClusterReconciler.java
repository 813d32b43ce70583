package dev.belay.operator;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.plan.Planner;
import dev.belay.operator.act.Finalizer;
import dev.belay.operator.act.KubernetesActor;
import dev.belay.operator.observe.KubernetesObserver;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.record.Announcer;
import dev.belay.operator.record.KubernetesRecorder;
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

/** What JOSDK triggers: turns of the loop until there is nothing left to do at once. */
@ControllerConfiguration(name = "belay", triggerReconcilerOnAllEvents = true)
final class ClusterReconciler implements Reconciler<StatefulCluster> {

  /** Enough for a chain of record-only steps; after more than that others get their turn. */
  private static final int TURNS = 8;

  private static final Duration AT_ONCE = Duration.ofMillis(50);

  /** The pieces a turn is made of. */
  record Parts(
      KubernetesObserver observer,
      KubernetesRecorder recorder,
      KubernetesActor actor,
      Announcer announcer,
      Finalizer finalizer,
      Wakeups wakeups,
      DriverPool drivers) {}

  private final Planner planner;
  private final Parts parts;

  ClusterReconciler(Planner planner, Parts parts) {
    this.planner = planner;
    this.parts = parts;
  }

  @Override
  public List<EventSource<?, StatefulCluster>> prepareEventSources(
      EventSourceContext<StatefulCluster> context) {
    return List.of(parts.wakeups().events());
  }

  @Override
  public UpdateControl<StatefulCluster> reconcile(
      StatefulCluster primary, Context<StatefulCluster> context) {
    var id = ResourceID.fromResource(primary);
    Duration again = AT_ONCE;
    for (int i = 0; i < TURNS && again.compareTo(AT_ONCE) <= 0; i++) {
      Optional<Turn> turn = turn(id);
      if (turn.isEmpty()) {
        forget(id, primary.getMetadata().getUid());
        return UpdateControl.noUpdate();
      }
      again = turn.get().again();
    }
    return UpdateControl.<StatefulCluster>noUpdate().rescheduleAfter(again);
  }

  /** One turn; empty when the StatefulCluster is gone. */
  private Optional<Turn> turn(ResourceID id) {
    Optional<Sight> first = parts.observer().observe(id.getNamespace().orElseThrow(), id.getName());
    if (first.isEmpty()) {
      return Optional.empty();
    }
    var looks = new Looks(id, first.get());
    var loop =
        new Loop(
            planner,
            looks::next,
            (basis, report) -> parts.recorder().record(looks.sight.cluster(), report, basis.at()),
            (_, step) -> parts.actor().act(looks.sight, step));
    Turn turn = loop.turn();
    parts.announcer().announce(looks.sight.cluster(), turn);
    parts.finalizer().keep(looks.sight, turn.decision());
    parts.wakeups().watch(looks.sight);
    return Optional.of(turn);
  }

  /** The looks of one turn: the first was just taken, a second one reads everything anew. */
  private final class Looks {
    private final ResourceID id;
    private Sight sight;
    private boolean used;

    Looks(ResourceID id, Sight first) {
      this.id = id;
      this.sight = first;
    }

    dev.belay.core.snapshot.Snapshot next() {
      if (used) {
        // Gone between two looks: what was seen first stands, and the record will conflict.
        sight =
            parts.observer().observe(id.getNamespace().orElseThrow(), id.getName()).orElse(sight);
      }
      used = true;
      return sight.snapshot();
    }
  }

  private void forget(ResourceID id, String uid) {
    parts.wakeups().forget(id);
    parts.announcer().forget(uid);
    parts.drivers().forget(uid);
  }
}
