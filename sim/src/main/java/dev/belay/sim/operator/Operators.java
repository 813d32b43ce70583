package dev.belay.sim.operator;

import dev.belay.core.snapshot.Among;
import dev.belay.core.snapshot.Snapshot.Self;
import dev.belay.sim.world.ApiServer;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Rng;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What keeps operators running: a dead one is followed by another, sometimes too early. */
public final class Operators {

  private final World world;
  private final Rng rng;
  private final Seams seams;
  private final Witness witness;
  private final List<Operator> running = new ArrayList<>();
  private int started;
  private int past;

  public Operators(World world, Rng rng, Seams seams, Witness witness) {
    this.world = world;
    this.rng = rng;
    this.seams = seams;
    this.witness = witness;
    world.api.watch(kind -> {
      // A status is Belay's own: to look again because of it would undo every pause.
      if (kind != ApiServer.Kind.STATUS && seams.hears().test(world)) {
        running.forEach(Operator::hint);
      }
    });
    start();
    world.time.after(Duration.ofSeconds(1), this::supervise);
  }

  private void start() {
    // A restarted container keeps its pod's name, and no process of the old one is left; a new pod
    // has another.
    boolean restarts = started > 0 && rng.chance(30);
    boolean sameName = restarts && Among.none(running, Operator::alive);
    int number = sameName ? started : ++started;
    var self = new Self("belay", "belay-" + number, Instance.ACCOUNT);
    running.add(
        new Operator(
            world, self, rng.split("operator" + started + running.size() + past), seams, witness));
  }

  private void supervise() {
    for (Operator operator : List.copyOf(running)) {
      if (!operator.alive() && !operator.busy()) {
        past += operator.writes();
        running.remove(operator);
      }
    }
    int wanted = world.weather.holds(Fault.TWO_OPERATORS) ? 2 : 1;
    // One that stands still has lost its lease: another takes over.
    long attentive = Among.count(running, o -> o.alive() && !o.stalled());
    if (attentive < wanted && running.size() < 3) {
      start();
    }
    if (attentive > wanted) {
      Among.first(running, o -> o.alive() && !o.stalled() && !o.busy()).ifPresent(Operator::kill);
    }
    if (running.size() != wanted) {
      world.weather.blindFor(Duration.ofSeconds(3));
    }
    world.time.after(rng.millis(800, 4000), this::supervise);
  }

  /** Writes of all operators so far. */
  public int writes() {
    return past + running.stream().mapToInt(Operator::writes).sum();
  }

  /** Of two that believe in themselves none rests; one of them has yet to end. */
  public boolean crowded() {
    return running.size() > 1;
  }

  /** Makes every operator look again, as a resync of its watches does. */
  public void resync() {
    running.forEach(Operator::hint);
  }
}
