package dev.belay.sim.operator;

import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.sim.world.Death;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Install;
import dev.belay.sim.world.Rng;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;

/** What the three ports of one operator process share: its clock, its luck, its last look. */
final class Instance {

  /** Where a process can die. */
  enum Point {
    OBSERVE,
    BEFORE_RECORD,
    AFTER_RECORD,
    BEFORE_ACT,
    AFTER_ACT
  }

  final World world;
  final Install install;
  final Self self;
  final Rng rng;
  Instant looked;
  Instant asOf;
  int looks;
  boolean stamped;
  boolean alive = true;
  private Duration skew = Duration.ZERO;

  Instance(World world, Install install, Self self, Rng rng) {
    this.world = world;
    this.install = install;
    this.self = self;
    this.rng = rng;
    this.looked = world.time.now();
    this.asOf = looked;
  }

  /** The process's own clock. */
  Instant clock() {
    if (!world.weather.holds(Fault.CLOCK_JUMP)) {
      skew = Duration.ZERO;
    } else if (skew.isZero()) {
      skew = Duration.ofSeconds(rng.below(61) - 30L);
    }
    return world.time.now().plus(skew);
  }

  void takesTime(int least, int most) {
    world.pass(rng.millis(least, most));
  }

  void reach(Point point) {
    if (!alive) {
      throw new Death("killed");
    }
    if (!world.weather.isArmed(Fault.OPERATOR_CRASH)) {
      return;
    }
    var points = Point.values();
    boolean dies = points[world.weather.argument(Fault.OPERATOR_CRASH) % points.length] == point;
    if (dies && world.weather.strikes(Fault.OPERATOR_CRASH)) {
      throw new Death(point.toString());
    }
  }

  boolean fails() {
    return !reachesApi() || (world.weather.holds(Fault.SERVER_ERRORS) && rng.chance(30));
  }

  boolean reachesApi() {
    return world.api.up() && !world.installs.isCut(install);
  }

  /** Whether this process is the recorded owner. */
  boolean is(Owner owner) {
    return !owner.released()
        && owner.install().equals(self.install())
        && owner.instance().equals(self.instance())
        && owner.account().equals(self.account());
  }

  /**
   * The only process of the install is stopped, mostly for so long that its Lease expires.
   *
   * @return whether it was
   */
  boolean pauses(int place) {
    int drawn = world.weather.argument(Fault.INSTALL_PAUSED) % 3;
    if (drawn != place || !world.weather.strikes(Fault.INSTALL_PAUSED)) {
      return false;
    }
    Duration pause = rng.millis(20_000, 90_000);
    world.installs.suspend(install, pause);
    say("is suspended with its whole install for " + pause.toMillis() + " ms");
    world.weather.blindFor(pause);
    sleeps(pause);
    return true;
  }

  /** Whoever was killed meanwhile does not go on. */
  void sleeps(Duration pause) {
    world.pass(pause);
    if (!alive) {
      throw new Death("killed while it stood still");
    }
    say("goes on");
  }

  void say(String what) {
    world.trace.say(self.instance(), what);
  }
}
