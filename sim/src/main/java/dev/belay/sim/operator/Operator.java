package dev.belay.sim.operator;

import dev.belay.core.loop.Loop;
import dev.belay.core.plan.Decision;
import dev.belay.core.plan.Planner;
import dev.belay.core.snapshot.Snapshot.Self;
import dev.belay.sim.world.Death;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Rng;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;

/** One operator process: watch events and its own timer make the production loop turn. */
final class Operator {

  private final World world;
  private final Instance instance;
  private final Loop loop;
  private final Pen pen;
  private final Hands hands;
  private final Witness witness;
  private final Questions questions;
  private final Eyes eyes;
  private boolean busy;
  private boolean missed;
  private Instant busySince = Instant.EPOCH;
  private long ticket;

  Operator(World world, Self self, Rng rng, Seams seams, Witness witness) {
    this.world = world;
    this.instance = new Instance(world, self, rng);
    this.witness = witness;
    this.pen = new Pen(instance, witness);
    var errands = new Errands(instance);
    this.hands = new Hands(instance, witness, errands);
    this.questions = new Questions(instance, () -> wakeIn(Duration.ZERO));
    this.eyes = new Eyes(instance, errands, questions);
    Planner planner = seams.planner().apply(RaftPolicy::byType);
    this.loop =
        new Loop(
            planner,
            seams.observer().apply(world, eyes),
            seams.recorder().apply(world, pen),
            seams.actor().apply(world, hands));
    instance.say("starts");
    wakeIn(Duration.ofMillis(50));
  }

  boolean alive() {
    return instance.alive;
  }

  boolean busy() {
    return busy;
  }

  /** In the middle of a turn for so long that it has lost its lease. */
  boolean stalled() {
    return busy && world.time.now().isAfter(busySince.plusSeconds(3));
  }

  int writes() {
    return pen.writes() + hands.writes();
  }

  /** Ends the process without any chance to tidy up; a turn under way ends at its next point. */
  void kill() {
    instance.alive = false;
  }

  /** A watch event arrived. */
  void hint() {
    if (!instance.alive || world.weather.deaf()) {
      return;
    }
    Duration delay =
        world.weather.holds(Fault.EVENTS_DELAYED)
            ? instance.rng.millis(500, 6000)
            : instance.rng.millis(3, 30);
    world.time.after(delay, () -> wakeIn(Duration.ZERO));
    if (world.weather.holds(Fault.EVENTS_DUPLICATED)) {
      world.time.after(delay.plusMillis(1), () -> wakeIn(Duration.ZERO));
      world.time.after(delay.plusMillis(40), () -> wakeIn(Duration.ZERO));
    }
  }

  private void wakeIn(Duration delay) {
    long mine = ++ticket;
    world.time.after(
        delay,
        () -> {
          if (mine == ticket) {
            turn();
          }
        });
  }

  private void turn() {
    // An event that arrives during a turn makes another turn.
    missed = busy;
    if (!instance.alive || busy) {
      return;
    }
    busy = true;
    busySince = world.time.now();
    instance.looks = 0;
    Duration again = Duration.ofSeconds(1);
    try {
      Loop.Turn turn = loop.turn();
      again = turn.again();
      eyes.last().ifPresent(seen -> questions.follow(seen, turn.report().memory()));
      leave(turn);
    } catch (Death death) {
      instance.alive = false;
      world.weather.blindFor(Duration.ofSeconds(5));
      instance.say("dies (" + death.getMessage() + ")");
    } catch (Unreadable unreadable) {
      again = Duration.ofSeconds(1);
    } catch (RuntimeException bug) {
      witness.broke(instance.self.instance(), bug);
    } finally {
      busy = false;
    }
    if (instance.alive) {
      wakeIn(missed ? Duration.ZERO : again);
    }
  }

  /** Deletion is let through when there is nothing left to do. */
  private void leave(Loop.Turn turn) {
    boolean deleting = world.api.cluster().filter(c -> c.deleting()).isPresent();
    if (deleting && turn.decision() instanceof Decision.Done && world.api.up()) {
      instance.say("lets the StatefulCluster go");
      world.api.removeFinalizer();
    }
  }
}
