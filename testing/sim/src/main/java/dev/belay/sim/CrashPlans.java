package dev.belay.sim;

import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload.Order;
import dev.belay.core.model.Workload.Update;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.PartSetup;
import dev.belay.sim.world.Setup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * One plan per write, event and look of a run without faults: the operator dies before the write,
 * or after it, or loses the reply, or decides on the view before it; the event is dropped; the look
 * shows an older world. The end must be the same, with as many restarts.
 */
public final class CrashPlans {

  /** What is done at the n-th moment. */
  public enum Plan {
    DIES_BEFORE,
    DIES_AFTER,
    REPLY_LOST,
    OLDER_VIEW,
    EVENT_DROPPED,
    VIEW_PINNED
  }

  /** A run without faults; what people do is part of it. */
  public record Reference(String name, Scenario scenario) {

    @Override
    public String toString() {
      return name;
    }
  }

  /** How one plan ended: empty when as good as the run without it. */
  public record Result(Reference reference, Plan plan, int moment, Optional<String> trouble) {}

  private record Trial(Plan plan, int moment) {}

  /** One plan that was tried once more, to be looked at. */
  public record Told(Result result, Outcome outcome) {}

  /**
   * One upgrade, seconds after adoption: a template that changes before the workload is marked is
   * not guarded. In some runs an image follows that is not there. People act when the clock says
   * so: had they more to do, a delay of Belay would make them act in another world.
   */
  private static final long SEED = 108;

  /** The moment at which no plan strikes. */
  static final int NEVER = -1;

  private CrashPlans() {}

  /** Both orders, both triggers, policies and parked, what succeeds and what is taken back. */
  public static List<Reference> references() {
    var forward = Spec.Upgrade.DEFAULT;
    var back = new Spec.Upgrade(Spec.OnFailure.ROLLBACK, Spec.Approval.NONE, List.of());
    Setup plain = Setup.plain(3);
    Setup parked = setup(3, 5, Order.ORDERED_READY, false, Spec.Trigger.VERSION, forward);
    return List.of(
        new Reference("Parallel, policies, Template", calm(plain)),
        new Reference("OrderedReady, parked, Version, ordinals from 5", calm(parked)),
        new Reference(
            "OrderedReady, policies, Template, 5 members",
            calm(setup(5, 0, Order.ORDERED_READY, true, Spec.Trigger.TEMPLATE, forward))),
        new Reference(
            "OrderedReady, policies, Version, rolled back",
            broken(setup(3, 0, Order.ORDERED_READY, true, Spec.Trigger.VERSION, back))),
        new Reference(
            "Parallel, parked, Template, rolled back",
            broken(setup(3, 0, Order.PARALLEL, false, Spec.Trigger.TEMPLATE, back))),
        new Reference("two components", calm(Setup.plain(3, 2))),
        new Reference("OnDelete, two at a time", calm(Setup.onDelete(5, 2))),
        new Reference("with actions", calm(Setup.withActions(3))),
        new Reference("with a Deployment", calm(Setup.withDeployment(3, 2))),
        new Reference("with checks", calm(Setup.withChecks(3))));
  }

  private static Setup setup(
      int replicas,
      int firstOrdinal,
      Order order,
      boolean policies,
      Spec.Trigger trigger,
      Spec.Upgrade upgrade) {
    var part =
        new PartSetup(
            Setup.COMPONENT,
            replicas,
            firstOrdinal,
            order,
            Duration.ZERO,
            Update.ROLLING_UPDATE,
            "raft",
            Setup.rollout(Duration.ZERO, 0, false),
            false,
            false);
    return new Setup(policies, trigger, upgrade, List.of(part));
  }

  private static Scenario calm(Setup setup) {
    return new Scenario(SEED, setup, List.of());
  }

  /** Long after the first upgrade is through, somebody rolls out what does not work. */
  private static Scenario broken(Setup setup) {
    var mistake =
        new Injection(Duration.ofSeconds(40), Fault.USER_BROKEN_TEMPLATE, 0, Duration.ofSeconds(1));
    return new Scenario(SEED, setup, List.of(mistake));
  }

  public static List<Result> run(Reference reference) {
    Saboteur counter = Saboteur.harmless();
    Outcome good = Simulation.run(reference.scenario(), counter.seams());
    if (!good.good()) {
      String story = good.story(replay(reference, new Trial(Plan.REPLY_LOST, NEVER)));
      return List.of(new Result(reference, Plan.REPLY_LOST, NEVER, Optional.of(story)));
    }
    return each(reference, counter, good, 1, Told::result);
  }

  /** Something of every n-th plan, in a fixed order. */
  static <T> List<T> each(Reference reference, int every, Function<Told, T> what) {
    Saboteur counter = Saboteur.harmless();
    Outcome good = Simulation.run(reference.scenario(), counter.seams());
    return each(reference, counter, good, every, what);
  }

  private static <T> List<T> each(
      Reference reference, Saboteur counter, Outcome good, int every, Function<Told, T> what) {
    String wanted = end(counter, good);
    List<Trial> trials = trials(counter);
    return IntStream.range(0, trials.size())
        .filter(i -> i % every == 0)
        .parallel()
        .mapToObj(i -> what.apply(tryOut(reference, trials.get(i), wanted)))
        .toList();
  }

  private static List<Trial> trials(Saboteur counter) {
    var trials = new ArrayList<Trial>();
    for (Plan plan : Plan.values()) {
      for (int moment = 0; moment < counter.moments(plan); moment++) {
        trials.add(new Trial(plan, moment));
      }
    }
    return trials;
  }

  /** One plan once more. */
  public static Told retell(Reference reference, Plan plan, int moment) {
    Saboteur counter = Saboteur.harmless();
    Outcome good = Simulation.run(reference.scenario(), counter.seams());
    return tryOut(reference, new Trial(plan, moment), end(counter, good));
  }

  private static Told tryOut(Reference reference, Trial trial, String wanted) {
    var saboteur = new Saboteur(trial.plan(), trial.moment());
    Outcome outcome = Simulation.run(reference.scenario(), saboteur.seams());
    String replay = replay(reference, trial);
    String end = end(saboteur, outcome);
    Optional<String> trouble =
        !outcome.good()
            ? Optional.of(outcome.story(replay))
            : Optional.of("ends with " + end + "\n instead of " + wanted + "\nreplay: " + replay)
                .filter(_ -> !end.equals(wanted));
    return new Told(new Result(reference, trial.plan(), trial.moment(), trouble), outcome);
  }

  private static String replay(Reference reference, Trial trial) {
    int number = references().indexOf(reference) + 1;
    return "bin/belay-sim crash --run "
        + number
        + " --plan "
        + trial.plan()
        + " --at "
        + trial.moment()
        + " --trace";
  }

  /** What stands there, and how many pods were taken down for it, by whomever. */
  private static String end(Saboteur saboteur, Outcome outcome) {
    long restarts = outcome.trace().stream().filter(line -> line.contains(" is gone")).count();
    return restarts + " restarts: " + saboteur.end();
  }
}
