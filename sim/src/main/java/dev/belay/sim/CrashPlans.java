package dev.belay.sim;

import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.loop.Loop.Recorded;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.sim.operator.Seams;
import dev.belay.sim.world.Death;
import dev.belay.sim.world.Setup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One plan per write of a run without faults: the operator dies before it, or after it with the
 * reply lost, or decides on the view before it. The end must be the same, with as many restarts.
 */
public final class CrashPlans {

  /** What is done to the n-th write. */
  public enum Plan {
    DIES_BEFORE,
    DIES_AFTER,
    REPLY_LOST,
    OLDER_VIEW
  }

  /** How one plan ended: empty when as good as the run without it. */
  public record Result(Setup setup, int write, Plan plan, Optional<String> trouble) {}

  private CrashPlans() {}

  public static List<Result> run(long seed, Setup setup) {
    var reference = new Counter(-1, Plan.REPLY_LOST);
    Outcome good = Simulation.run(new Scenario(seed, setup, List.of()), reference.seams());
    if (!good.good()) {
      return List.of(new Result(setup, -1, Plan.REPLY_LOST, Optional.of(good.story())));
    }
    var results = new ArrayList<Result>();
    for (int write = 0; write < reference.writes; write++) {
      for (Plan plan : Plan.values()) {
        results.add(new Result(setup, write, plan, tryOut(seed, setup, write, plan, good)));
      }
    }
    return results;
  }

  private static Optional<String> tryOut(
      long seed, Setup setup, int write, Plan plan, Outcome good) {
    var counter = new Counter(write, plan);
    Outcome outcome = Simulation.run(new Scenario(seed, setup, List.of()), counter.seams());
    if (!outcome.good()) {
      return Optional.of(outcome.story());
    }
    return restarts(outcome) == restarts(good)
        ? Optional.empty()
        : Optional.of(restarts(outcome) + " restarts instead of " + restarts(good));
  }

  /** Pods that were taken down, by whomever. */
  private static long restarts(Outcome outcome) {
    return outcome.trace().stream().filter(line -> line.contains(" is gone")).count();
  }

  /** Counts writes and does its worst to one of them. */
  private static final class Counter {
    private final int victim;
    private final Plan plan;
    private int writes;
    private Optional<Snapshot> before = Optional.empty();
    private boolean pinned;

    Counter(int victim, Plan plan) {
      this.victim = victim;
      this.plan = plan;
    }

    Seams seams() {
      return Seams.NONE
          .withObserver((world, observer) -> () -> observe(observer))
          .withRecorder((world, recorder) ->
              (basis, report) -> {
                boolean hit = writes == victim;
                if (hit && plan == Plan.DIES_BEFORE) {
                  writes++;
                  throw new Death("killed by the plan");
                }
                Recorded recorded = recorder.record(basis, report);
                writes += recorded == Recorded.WRITTEN ? 1 : 0;
                if (hit && recorded == Recorded.WRITTEN) {
                  return afterwards(recorded);
                }
                return recorded;
              })
          .withActor((world, actor) ->
              (basis, step) -> {
                boolean hit = writes++ == victim;
                if (hit && plan == Plan.DIES_BEFORE) {
                  throw new Death("killed by the plan");
                }
                Acted acted = actor.act(basis, step);
                if (hit && plan == Plan.DIES_AFTER) {
                  throw new Death("killed by the plan");
                }
                return hit && plan == Plan.REPLY_LOST
                    ? new Acted(false, "the reply was lost")
                    : acted;
              });
    }

    private Recorded afterwards(Recorded recorded) {
      if (plan == Plan.DIES_AFTER) {
        throw new Death("killed by the plan");
      }
      return plan == Plan.REPLY_LOST ? Recorded.CONFLICT : recorded;
    }

    /** The look after the victim sees the world of the look before it, once. */
    private Snapshot observe(Loop.Observer observer) {
      if (plan == Plan.OLDER_VIEW && writes == victim + 1 && !pinned && before.isPresent()) {
        pinned = true;
        return before.get();
      }
      Snapshot seen = observer.observe();
      before = Optional.of(seen);
      return seen;
    }
  }
}
