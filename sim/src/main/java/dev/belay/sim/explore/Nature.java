package dev.belay.sim.explore;

import dev.belay.core.snapshot.Workload;
import dev.belay.sim.explore.Move.Kind;
import dev.belay.sim.explore.SmallWorld.Phase;
import dev.belay.sim.explore.SmallWorld.Seat;
import dev.belay.sim.explore.SmallWorld.SetPart;
import dev.belay.sim.explore.SmallWorld.Wishes;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.SetObject;
import dev.belay.sim.world.StatefulSetController;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Everything that happens around Belay, calm or not: which moves there are, and what they do. */
record Nature(Terrain terrain) {

  /** The moves of everybody but Belay. */
  List<Move> moves(SmallWorld w) {
    var moves = new ArrayList<Move>();
    moves.add(new Move(Kind.CONTROLLER, 0));
    moves.add(new Move(Kind.TICK, 0));
    for (int i = 0; i < w.seats().size(); i++) {
      Seat seat = w.seats().get(i);
      add(moves, progresses(seat), Kind.KUBELET, i);
      add(moves, w.leader() < 0 && seat.ready() && quorate(w), Kind.ELECTION, i);
      if (w.faultsLeft() > 0) {
        add(moves, seat.ready(), Kind.CRASH, i);
        add(moves, seat.ready(), Kind.EVICTION, i);
        add(moves, seat.phase() == Phase.STARTING && !broken(seat), Kind.PULL, i);
        add(moves, w.leader() >= 0 && w.leader() != i && seat.ready(), Kind.FLAP, i);
      }
    }
    if (w.changesLeft() > 0) {
      for (int t = 0; t < Terrain.TEMPLATES.size(); t++) {
        add(moves, t != w.set().template(), Kind.TEMPLATE, t);
      }
      add(moves, !w.wishes().paused(), Kind.PAUSE, 0);
      add(moves, w.wishes().paused(), Kind.RESUME, 0);
      boolean rolling = w.memory().component(Glance.COMPONENT).target().isPresent();
      boolean refused = w.memory().component(Glance.COMPONENT).refused().isPresent();
      add(moves, rolling, Kind.ROLLBACK, 0);
      add(moves, rolling, Kind.ABORT, 0);
      add(moves, rolling || refused, Kind.RETRY, 0);
    }
    return moves;
  }

  private static void add(List<Move> moves, boolean possible, Kind kind, int on) {
    if (possible) {
      moves.add(new Move(kind, on));
    }
  }

  private static boolean broken(Seat seat) {
    return Terrain.TEMPLATES.get(seat.revision()).broken();
  }

  private static boolean progresses(Seat seat) {
    return switch (seat.phase()) {
      case ABSENT, READY -> false;
      case STARTING, DOWN, TERMINATING -> true;
      case TROUBLE -> !broken(seat);
    };
  }

  private boolean quorate(SmallWorld w) {
    return w.readyCount() >= terrain.majority();
  }

  SmallWorld after(SmallWorld w, Move move) {
    Wishes wishes = w.wishes();
    int i = move.on();
    return switch (move.kind()) {
      case CONTROLLER -> controller(w);
      case TICK -> Canon.older(w);
      case KUBELET -> seat(w, i, kubelet(w.seats().get(i)));
      case ELECTION -> led(w, i);
      case CRASH -> seat(w.fault(), i, w.seats().get(i).become(Phase.DOWN));
      case EVICTION -> seat(w.fault(), i, w.seats().get(i).become(Phase.TERMINATING));
      case PULL -> seat(w.fault(), i, w.seats().get(i).become(Phase.TROUBLE));
      case FLAP -> led(w.fault(), i);
      case TEMPLATE -> template(w.wish(wishes), i);
      case PAUSE, RESUME ->
          w.wish(
              new Wishes(!wishes.paused(), wishes.retries(), wishes.rollbacks(), wishes.aborts()));
      case RETRY ->
          w.wish(
                  new Wishes(
                      wishes.paused(), wishes.retries() + 1, wishes.rollbacks(), wishes.aborts()))
              .judged(false, w.good());
      case ROLLBACK ->
          w.wish(
              new Wishes(
                  wishes.paused(), wishes.retries(), wishes.rollbacks() + 1, wishes.aborts()));
      case ABORT ->
          w.wish(
              new Wishes(
                  wishes.paused(), wishes.retries(), wishes.rollbacks(), wishes.aborts() + 1));
      case BELAY, ARRIVES, HELD_UP -> throw new IllegalArgumentException(move.words());
    };
  }

  private static Seat kubelet(Seat seat) {
    return switch (seat.phase()) {
      case TERMINATING -> seat.become(Phase.ABSENT);
      case STARTING -> seat.become(broken(seat) ? Phase.TROUBLE : Phase.READY);
      case DOWN, TROUBLE -> seat.become(Phase.READY);
      case ABSENT, READY -> seat;
    };
  }

  private SmallWorld template(SmallWorld w, int template) {
    SetPart old = w.set();
    int partition = terrain.policies() ? Workload.FROZEN : old.partition();
    var set = new SetPart(template, old.current(), old.update(), partition, false);
    return Canon.moved(w.with(set), "StatefulSet", "db").judged(false, w.good());
  }

  /** A pod changes: whoever led in it, or needed its vote, leads no more. */
  SmallWorld seat(SmallWorld w, int i, Seat seat) {
    var seats = new ArrayList<>(w.seats());
    boolean created = seats.get(i).phase() == Phase.ABSENT;
    seats.set(i, seat);
    SmallWorld changed = w.with(seats);
    changed = created ? Canon.anew(changed, i) : Canon.moved(changed, "Pod", "db-" + i);
    boolean stays =
        changed.leader() < 0 || (seats.get(changed.leader()).ready() && quorate(changed));
    return stays ? changed : led(changed, -1);
  }

  SmallWorld led(SmallWorld w, int by) {
    return Canon.moved(w.led(by), "Leader", "");
  }

  /** The controller of the simulator, on this world. */
  private SmallWorld controller(SmallWorld w) {
    SetPart set = w.set();
    StatefulSetController.Sync sync = StatefulSetController.sync(object(set), pods(w), Glance.NOW);
    var seen =
        new SetPart(
            set.template(),
            Terrain.indexOf(sync.status().currentRevision()),
            Terrain.indexOf(sync.status().updateRevision()),
            set.partition(),
            true);
    SmallWorld next = seen.equals(set) ? w : Canon.moved(w.with(seen), "StatefulSet", "db");
    for (int ordinal : sync.creates()) {
      int revision = ordinal < set.partition() ? seen.current() : seen.update();
      next = seat(next, ordinal, new Seat(Phase.STARTING, revision, 0));
    }
    if (sync.replaced().isPresent()) {
      int ordinal = sync.replaced().get().ordinal();
      next = seat(next, ordinal, next.seats().get(ordinal).become(Phase.TERMINATING));
    }
    return next;
  }

  private SetObject object(SetPart set) {
    var spec =
        new SetObject.Spec(
            terrain.replicas(),
            0,
            Workload.Update.ROLLING_UPDATE,
            set.partition(),
            terrain.order(),
            Duration.ZERO,
            Terrain.TEMPLATES.get(set.template()));
    var status =
        new SetObject.Status(
            1,
            Terrain.TEMPLATES.get(set.current()).revision(),
            Terrain.TEMPLATES.get(set.update()).revision(),
            0,
            0,
            0);
    return new SetObject("db", "s", 1, 1, spec, status, "");
  }

  private static List<PodObject> pods(SmallWorld w) {
    var pods = new ArrayList<PodObject>();
    for (int i = 0; i < w.seats().size(); i++) {
      Seat seat = w.seats().get(i);
      if (seat.phase() == Phase.ABSENT) {
        continue;
      }
      var template = Terrain.TEMPLATES.get(seat.revision());
      var state =
          new PodObject.State(
              seat.ready(),
              Glance.NOW,
              seat.phase() == Phase.TERMINATING,
              Optional.empty(),
              false,
              "");
      pods.add(
          new PodObject(
              "db-" + i, "u" + i, 1, i, template.revision(), template, Glance.NOW, state));
    }
    return pods;
  }
}
