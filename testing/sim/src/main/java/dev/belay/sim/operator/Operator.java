package dev.belay.sim.operator;

import dev.belay.core.decide.Planner;
import dev.belay.core.loop.Loop;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Step;
import dev.belay.sim.world.ApiServer.Answer;
import dev.belay.sim.world.Death;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;

/** One operator process: watch events and its own timer make the production loop turn. */
final class Operator {

  /** After so many milliseconds an event may be heard; by then a cache shows what it tells of. */
  private static final int SOONEST = 3;

  private final World world;
  private final Instance instance;
  private final Loop loop;
  private final Pen pen;
  private final Hands hands;
  private final Witness witness;
  private final Questions questions;
  private final Eyes eyes;
  private final Errands errands;
  private final Marks marks;
  private boolean busy;
  private boolean missed;
  private Instant busySince = Instant.EPOCH;
  private Instant heard = Instant.EPOCH;
  private long ticket;

  Operator(World world, Instance instance, Seams seams, Witness witness) {
    this.world = world;
    this.instance = instance;
    this.witness = witness;
    this.pen = new Pen(instance, witness);
    this.errands = new Errands(instance);
    this.marks = new Marks(instance);
    this.hands = new Hands(instance, witness, errands);
    this.questions = new Questions(instance, () -> wakeIn(Duration.ZERO));
    this.eyes = new Eyes(instance, errands, questions, marks);
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
    return pen.writes() + hands.writes() + marks.writes();
  }

  /** Ends the process without any chance to tidy up; a turn under way ends at its next point. */
  void kill() {
    instance.alive = false;
  }

  /** A watch event arrived. */
  void hint() {
    if (!instance.alive || world.weather.deaf() || world.installs.isCut(instance.install)) {
      return;
    }
    Duration delay =
        world.weather.holds(Fault.EVENTS_DELAYED)
            ? instance.rng.millis(500, 6000)
            : instance.rng.millis(SOONEST, 30);
    boolean twice = world.weather.holds(Fault.EVENTS_DUPLICATED);
    // Those that come together are heard together, as a queue of names hears them; one that is
    // about to be heard may be ahead of a cache that does not show the newest yet.
    Instant now = world.time.now();
    boolean heardAnyway =
        !heard.isBefore(now.plusMillis(SOONEST)) && !heard.isAfter(now.plus(delay));
    if (heardAnyway && !twice) {
      return;
    }
    heard = now.plus(delay);
    world.time.after(delay, this::wake);
    if (twice) {
      world.time.after(delay.plusMillis(1), this::wake);
      world.time.after(delay.plusMillis(40), this::wake);
    }
  }

  /** Now, and not when the timer says so. */
  private void wake() {
    ticket++;
    turn();
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
    if (world.installs.isSuspended(instance.install)) {
      wakeIn(Duration.ofSeconds(1));
      return;
    }
    if (!eyes.concerns().orElse(false)) {
      standDown();
      return;
    }
    busy = true;
    busySince = world.time.now();
    instance.looks = 0;
    Duration again = Duration.ofSeconds(1);
    try {
      Loop.Turn turn = loop.turn();
      again = turn.again();
      if (turn.decision() instanceof Decision.Perform(Step.Recorded step)
          && turn.acted().accepted()) {
        witness.ended(instance.self.instance(), step, Answer.OK);
      }
      eyes.last().ifPresent(seen -> questions.follow(seen, turn.report().memory()));
      if (Loop.notOwner(turn.decision()) || isHandedOver(turn)) {
        forget();
      }
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

  private static boolean isHandedOver(Loop.Turn turn) {
    return turn.decision() instanceof Decision.Perform(Step.HandOver _);
  }

  /** Another install has the StatefulCluster, or there is none: then its marks go. */
  private void standDown() {
    forget();
    boolean gone = world.api.cluster().isEmpty();
    if (gone && instance.reachesApi()) {
      marks.sweep();
    }
    wakeIn(Duration.ofSeconds(gone ? 1 : 10));
  }

  private void forget() {
    errands.forget();
    questions.forget();
  }

  /** Deletion is let through when there is nothing left to do. */
  private void leave(Loop.Turn turn) {
    boolean deleting = eyes.last().filter(seen -> seen.subject().deleting()).isPresent();
    if (deleting && turn.decision() instanceof Decision.Done && instance.reachesApi()) {
      instance.say("lets the StatefulCluster go");
      world.api.removeFinalizer();
    }
  }
}
