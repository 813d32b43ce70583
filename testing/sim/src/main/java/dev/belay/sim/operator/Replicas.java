package dev.belay.sim.operator;

import dev.belay.core.model.Among;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Install;
import dev.belay.sim.world.Rng;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The processes of one install: a dead one is followed by another, sometimes too early. Those that
 * run and reach the API server renew the Lease.
 */
final class Replicas {

  private final World world;
  private final Install install;
  private final Rng rng;
  private final Seams seams;
  private final Witness witness;
  private final List<Operator> running = new ArrayList<>();
  private int started;
  private int past;

  Replicas(World world, Install install, Rng rng, Seams seams, Witness witness) {
    this.world = world;
    this.install = install;
    this.rng = rng;
    this.seams = seams;
    this.witness = witness;
    start();
    world.time.after(Duration.ofSeconds(1), this::supervise);
  }

  private void start() {
    // A restarted container keeps its pod's name, and no process of the old one is left; a new pod
    // has another.
    boolean restarts = started > 0 && rng.chance(30);
    boolean sameName = restarts && Among.none(running, Operator::alive);
    int number = sameName ? started : ++started;
    running.add(
        new Operator(
            world,
            instance(number, rng.split("operator" + started + running.size() + past)),
            seams,
            witness));
  }

  private Instance instance(int number, Rng luck) {
    var self = new Self(install.label(), install.label() + "-" + number, install.account());
    return new Instance(world, install, self, luck);
  }

  private void supervise() {
    if (!world.installs.isSuspended(install)) {
      manage();
    }
    world.time.after(rng.millis(800, 4000), this::supervise);
  }

  private void manage() {
    for (Operator operator : List.copyOf(running)) {
      if (!operator.alive() && !operator.busy()) {
        past += operator.writes();
        running.remove(operator);
      }
    }
    if (!world.installs.runs(install)) {
      end();
      return;
    }
    int wanted = world.weather.holds(Fault.TWO_OPERATORS) ? 2 : 1;
    // One that stands still has lost its lease: another takes over.
    long attentive = Among.count(running, o -> o.alive() && !o.stalled());
    if (attentive > 0 && world.api.up() && !world.installs.isCut(install)) {
      world.installs.renew(install);
    }
    if (attentive < wanted && running.size() < 3) {
      start();
    }
    if (attentive > wanted) {
      Among.first(running, o -> o.alive() && !o.stalled() && !o.busy()).ifPresent(Operator::kill);
    }
    if (running.size() != wanted) {
      world.weather.blindFor(Duration.ofSeconds(3));
    }
  }

  /** For good; its marks are removed by a process of their own, when no other one is left. */
  private void end() {
    running.forEach(Operator::kill);
    var marks = new Marks(instance(started + 1, rng.split("uninstall")));
    if (world.installs.isUninstalled(install) && running.isEmpty() && marks.areLeft()) {
      marks.uninstall();
    }
  }

  void hint() {
    running.forEach(Operator::hint);
  }

  int writes() {
    return past + running.stream().mapToInt(Operator::writes).sum();
  }

  /** Of two that believe in themselves none rests; one of them has yet to end. */
  boolean crowded() {
    return running.size() > (world.installs.runs(install) ? 1 : 0)
        || world.installs.isSuspended(install);
  }
}
