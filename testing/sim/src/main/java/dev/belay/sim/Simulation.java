package dev.belay.sim;

import dev.belay.sim.check.Liveness;
import dev.belay.sim.check.Safety;
import dev.belay.sim.check.Violation;
import dev.belay.sim.operator.Operators;
import dev.belay.sim.operator.Seams;
import dev.belay.sim.world.Cures;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.Rng;
import dev.belay.sim.world.User;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.util.Optional;

/**
 * One run: a settled set is adopted, upgraded while things go wrong, healed, and must come to rest.
 */
public final class Simulation {

  private static final Duration SETTLES = Duration.ofMinutes(20);

  /** By then the set stands, and Belay comes. */
  private static final Duration ADOPTED = Duration.ofSeconds(30);

  private final Scenario scenario;
  private final World world;
  private final User user;
  private final Cures cures;
  private final Injector injector;
  private final Safety safety;
  private final StepRecorder steps;
  private final Liveness liveness;
  private final Seams seams;
  private final Rng rng;

  private Simulation(Scenario scenario, Seams seams) {
    this.scenario = scenario;
    this.seams = seams;
    this.rng = new Rng(scenario.seed()).split("run");
    this.world = new World(scenario.setup(), rng, seams.guard());
    if (scenario.hasTwoInstalls()) {
      world.installs.join();
    }
    this.user = new User(world, rng.split("user"));
    this.cures = new Cures(world, user, rng.split("cures"));
    this.injector = new Injector(world, user);
    this.safety = new Safety(world);
    this.steps = new StepRecorder(world, safety);
    this.liveness = new Liveness(world, safety);
  }

  public static Outcome run(Scenario scenario) {
    return run(scenario, Seams.NONE);
  }

  /** With bugs planted at the seams; for tests of the checkers. */
  public static Outcome run(Scenario scenario, Seams seams) {
    var run = new Simulation(scenario, seams);
    Optional<Violation> violation = Optional.empty();
    try {
      run.play();
    } catch (Violation v) {
      run.world.trace.say("VIOLATION", v.words());
      violation = Optional.of(v);
    }
    return new Outcome(
        scenario,
        violation,
        run.world.trace.hash(),
        run.world.time.happened(),
        run.world.time.millis(),
        run.liveness.rollouts(),
        run.world.trace.lines(),
        run.steps.lines(),
        run.injector.counts());
  }

  private void play() {
    world.pass(ADOPTED);
    world.time.afterEach(() -> {
      safety.afterEvent();
      liveness.afterEvent();
    });
    var operators = new Operators(world, rng.split("operators"), seams, steps);
    liveness.watch(operators);
    world.time.happens(user::createCluster);
    injector.plan(scenario.faults());
    world.time.after(rng.millis(500, 5000), user::upgrade);
    if (rng.chance(60)) {
      world.time.after(rng.millis(20_000, 40_000), user::upgrade);
    }
    world.pass(Injection.FAULTS_END.plusSeconds(5));
    world.time.happens(this::heal);
    settle(operators);
    liveness.restsFor(10);
  }

  /** Faults stop, everything broken by others is repaired; Belay and a person do the rest. */
  private void heal() {
    world.trace.say("world", "heals");
    world.weather.clear();
    world.parts().forEach(Simulation::heal);
    injector.heal();
    liveness.healed();
  }

  private static void heal(Part part) {
    part.kubelet.heal();
    part.raft
        .voters()
        .forEach(v -> {
          part.raft.pause(v.ordinal, false);
          part.raft.cut(v.ordinal, false);
          part.raft.slow(v.ordinal, false);
        });
  }

  /** Who paused resumes; a person who is still to come back must not disturb the rest. */
  private boolean peopleAreDone() {
    return scenario.faults().stream()
        .map(f -> ADOPTED.plus(f.at()).plus(f.length()))
        .noneMatch(end -> end.toMillis() > world.time.millis());
  }

  private void settle(Operators operators) {
    Duration waited = Duration.ZERO;
    while (!liveness.settled() || !peopleAreDone() || operators.crowded()) {
      Duration pause = Duration.ofSeconds(10);
      world.pass(pause);
      waited = waited.plus(pause);
      if (waited.compareTo(SETTLES) > 0) {
        throw new Violation(
            liveness.promise(),
            "not settled "
                + SETTLES.toMinutes()
                + " min after the faults: "
                + liveness.unsettled());
      }
      world.time.happens(user::createCluster);
      world.time.happens(cures::follow);
    }
  }
}
