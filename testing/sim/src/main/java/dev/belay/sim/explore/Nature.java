package dev.belay.sim.explore;

import dev.belay.core.guard.Mark;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Fence;
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
    moves.add(new Move(Kind.TICK));
    for (int p = 0; p < w.places().size(); p++) {
      moves(w, p, moves);
    }
    if (w.changesLeft() > 0) {
      add(moves, !w.wishes().paused(), new Move(Kind.PAUSE));
      add(moves, w.wishes().paused(), new Move(Kind.RESUME));
      add(moves, w.rolling(), new Move(Kind.ROLLBACK));
      add(moves, w.rolling(), new Move(Kind.ABORT));
      add(moves, w.rolling() || w.refused(), new Move(Kind.RETRY));
    }
    return moves;
  }

  private static void moves(SmallWorld w, int p, List<Move> moves) {
    Place place = w.place(p);
    moves.add(new Move(Kind.CONTROLLER, p, 0));
    for (int i = 0; i < place.seats().size(); i++) {
      Seat seat = place.seats().get(i);
      add(moves, progresses(seat), new Move(Kind.KUBELET, p, i));
      boolean elects = place.leader() < 0 && seat.ready() && place.quorate();
      add(moves, elects, new Move(Kind.ELECTION, p, i));
      if (w.faultsLeft() > 0) {
        boolean flaps = place.leader() >= 0 && place.leader() != i && seat.ready();
        add(moves, seat.ready(), new Move(Kind.CRASH, p, i));
        add(moves, seat.ready(), new Move(Kind.EVICTION, p, i));
        add(moves, seat.phase() == Phase.STARTING && !broken(seat), new Move(Kind.PULL, p, i));
        add(moves, flaps, new Move(Kind.FLAP, p, i));
      }
    }
    for (int t = 0; w.changesLeft() > 0 && t < Terrain.TEMPLATES.size(); t++) {
      add(moves, t != place.set().template(), new Move(Kind.TEMPLATE, p, t));
    }
  }

  private static void add(List<Move> moves, boolean possible, Move move) {
    if (possible) {
      moves.add(move);
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

  SmallWorld after(SmallWorld w, Move move) {
    Wishes wishes = w.wishes();
    int p = move.place();
    int i = move.on();
    List<Seat> seats = w.place(p).seats();
    return switch (move.kind()) {
      case CONTROLLER -> controller(w, p);
      case TICK -> Canon.older(w);
      case KUBELET -> seat(w, p, i, kubelet(seats.get(i)));
      case ELECTION -> led(w, p, i);
      case CRASH -> seat(w.fault(), p, i, seats.get(i).become(Phase.DOWN));
      case EVICTION -> seat(w.fault(), p, i, seats.get(i).become(Phase.TERMINATING));
      case PULL -> seat(w.fault(), p, i, seats.get(i).become(Phase.TROUBLE));
      case FLAP -> led(w.fault(), p, i);
      case TEMPLATE -> template(w.wish(wishes), p, i);
      case PAUSE, RESUME ->
          w.wish(
              new Wishes(!wishes.paused(), wishes.retries(), wishes.rollbacks(), wishes.aborts()));
      case RETRY ->
          w.wish(
                  new Wishes(
                      wishes.paused(), wishes.retries() + 1, wishes.rollbacks(), wishes.aborts()))
              .with(w.places().stream().map(place -> place.judged(false, place.good())).toList());
      case ROLLBACK ->
          w.wish(
              new Wishes(
                  wishes.paused(), wishes.retries(), wishes.rollbacks() + 1, wishes.aborts()));
      case ABORT ->
          w.wish(
              new Wishes(
                  wishes.paused(), wishes.retries(), wishes.rollbacks(), wishes.aborts() + 1));
      case BELAY, ARRIVES, HELD_UP, DIES -> throw new IllegalArgumentException(move.words());
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

  private SmallWorld template(SmallWorld w, int p, int template) {
    Place place = w.place(p);
    SetPart old = place.set();
    int partition = terrain.policies() ? Workload.FROZEN : old.partition();
    var set = new SetPart(template, old.current(), old.update(), partition, false);
    return Canon.moved(
        w.with(p, place.with(set).judged(false, place.good())),
        Fence.Kind.STATEFUL_SET,
        Terrain.name(p));
  }

  /** A pod changes: whoever led in it, or needed its vote, leads no more. */
  SmallWorld seat(SmallWorld w, int p, int i, Seat seat) {
    Place place = w.place(p);
    var seats = new ArrayList<>(place.seats());
    boolean created = seats.get(i).phase() == Phase.ABSENT;
    seats.set(i, seat);
    SmallWorld changed = w.with(p, place.with(seats));
    changed =
        created
            ? Canon.anew(changed, p, i)
            : Canon.moved(changed, Fence.Kind.POD, Glance.pod(p, i));
    int leader = place.leader();
    boolean stays = leader < 0 || (seats.get(leader).ready() && changed.place(p).quorate());
    return stays ? changed : led(changed, p, -1);
  }

  SmallWorld led(SmallWorld w, int p, int by) {
    return Canon.led(w.with(p, w.place(p).led(by)), Glance.member(p));
  }

  /** The controller of the simulator, on this world. */
  private SmallWorld controller(SmallWorld w, int p) {
    Place place = w.place(p);
    SetPart set = place.set();
    StatefulSetController.Sync sync =
        StatefulSetController.sync(object(p, place), pods(p, place), Glance.NOW);
    var seen =
        new SetPart(
            set.template(),
            Terrain.indexOf(p, sync.status().currentRevision()),
            Terrain.indexOf(p, sync.status().updateRevision()),
            set.partition(),
            true);
    SmallWorld next =
        seen.equals(set)
            ? w
            : Canon.moved(w.with(p, place.with(seen)), Fence.Kind.STATEFUL_SET, Terrain.name(p));
    for (int ordinal : sync.creates()) {
      int revision = ordinal < set.partition() ? seen.current() : seen.update();
      next = seat(next, p, ordinal, new Seat(Phase.STARTING, revision, 0));
    }
    if (sync.replaced().isPresent()) {
      int ordinal = sync.replaced().get().ordinal();
      Seat seat = next.place(p).seats().get(ordinal);
      next = seat(next, p, ordinal, seat.become(Phase.TERMINATING));
    }
    return next;
  }

  private SetObject object(int p, Place place) {
    SetPart set = place.set();
    var spec =
        new SetObject.Spec(
            place.seats().size(),
            0,
            Workload.Update.ROLLING_UPDATE,
            set.partition(),
            terrain.order(),
            Duration.ZERO,
            Terrain.template(p, set.template()));
    var status =
        new SetObject.Status(
            1,
            Terrain.template(p, set.current()).revision(),
            Terrain.template(p, set.update()).revision(),
            0,
            0,
            0);
    return new SetObject(Terrain.name(p), "s", 1, 1, spec, status, "", Mark.NONE);
  }

  private static List<PodObject> pods(int p, Place place) {
    var pods = new ArrayList<PodObject>();
    for (int i = 0; i < place.seats().size(); i++) {
      Seat seat = place.seats().get(i);
      if (seat.phase() == Phase.ABSENT) {
        continue;
      }
      var template = Terrain.template(p, seat.revision());
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
              Glance.pod(p, i),
              Glance.uid(p, i),
              1,
              i,
              template.revision(),
              template,
              Glance.NOW,
              state));
    }
    return pods;
  }
}
