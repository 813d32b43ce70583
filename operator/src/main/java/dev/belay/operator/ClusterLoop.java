package dev.belay.operator;

import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.plan.Planner;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Snapshot.Self;
import dev.belay.drivers.Drivers;
import dev.belay.operator.act.Finalizer;
import dev.belay.operator.act.KubernetesActor;
import dev.belay.operator.observe.GuardProbe;
import dev.belay.operator.observe.KubernetesObserver;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.record.Announcer;
import dev.belay.operator.record.KubernetesRecorder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.Optional;

/** Core's loop with Kubernetes behind its three ports: one turn for one StatefulCluster. */
final class ClusterLoop implements AutoCloseable {

  private final Planner planner = new Planner(Drivers::policy);
  private final DriverPool drivers;
  private final KubernetesObserver observer;
  private final KubernetesRecorder recorder;
  private final KubernetesActor actor;
  private final Announcer announcer;
  private final Finalizer finalizer;

  ClusterLoop(KubernetesClient client, Self self, Clock clock) {
    this.drivers = new DriverPool(client);
    this.observer = new KubernetesObserver(client, self, new GuardProbe(client), drivers, clock);
    this.recorder = new KubernetesRecorder(client);
    this.actor = new KubernetesActor(client, drivers, clock);
    this.announcer = new Announcer(client, self.instance());
    this.finalizer = new Finalizer(client);
  }

  /** A turn and the last look it was based on. */
  record Taken(Turn turn, Sight sight) {}

  /** One turn; empty when the StatefulCluster is gone. */
  Optional<Taken> turn(String namespace, String name) {
    Optional<Sight> first = observer.observe(namespace, name);
    if (first.isEmpty()) {
      return Optional.empty();
    }
    var looks = new Looks(first.get());
    Turn turn =
        new Loop(
                planner,
                looks::next,
                (basis, report) -> recorder.record(looks.sight.cluster(), report, basis.at()),
                (_, step) -> actor.act(looks.sight, step))
            .turn();
    announcer.announce(looks.sight.cluster(), turn);
    if (!Loop.ownedElsewhere(turn.decision())) {
      finalizer.keep(looks.sight, turn.decision());
    }
    return Optional.of(new Taken(turn, looks.sight));
  }

  /** Lets go of a StatefulCluster that is gone. */
  void forget(String uid) {
    announcer.forget(uid);
    drivers.forget(uid);
  }

  /** The looks of one turn: the first was just taken, a second one reads everything anew. */
  private final class Looks {
    private Sight sight;
    private boolean used;

    Looks(Sight first) {
      this.sight = first;
    }

    Snapshot next() {
      if (used) {
        var subject = sight.snapshot().subject();
        // Gone between two looks: what was seen first stands, and the record will conflict.
        sight = observer.observe(subject.namespace(), subject.name()).orElse(sight);
      }
      used = true;
      return sight.snapshot();
    }
  }

  @Override
  public void close() {
    actor.close();
    drivers.close();
  }
}
