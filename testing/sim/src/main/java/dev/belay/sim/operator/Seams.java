package dev.belay.sim.operator;

import dev.belay.core.decide.Planner;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.guard.Guard;
import dev.belay.core.loop.Loop;
import dev.belay.sim.world.World;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Where tests plant a bug: in the judgement, or around one of the loop's three ports; and what
 * keeps a watch event from being heard. The product runs with none.
 */
public record Seams(
    Function<Function<String, SystemPolicy>, Planner> planner,
    BiFunction<World, Loop.Observer, Loop.Observer> observer,
    BiFunction<World, Loop.Recorder, Loop.Recorder> recorder,
    BiFunction<World, Loop.Actor, Loop.Actor> actor,
    BiFunction<Guard.Write, List<Guard.Claim>, Guard.Verdict> guard,
    Predicate<World> hears) {

  public static final Seams NONE =
      new Seams(Planner::new, (w, o) -> o, (w, r) -> r, (w, a) -> a, Guard::judge, w -> true);

  public Seams withPlanner(Function<Function<String, SystemPolicy>, Planner> other) {
    return new Seams(other, observer, recorder, actor, guard, hears);
  }

  public Seams withObserver(BiFunction<World, Loop.Observer, Loop.Observer> other) {
    return new Seams(planner, other, recorder, actor, guard, hears);
  }

  public Seams withRecorder(BiFunction<World, Loop.Recorder, Loop.Recorder> other) {
    return new Seams(planner, observer, other, actor, guard, hears);
  }

  public Seams withActor(BiFunction<World, Loop.Actor, Loop.Actor> other) {
    return new Seams(planner, observer, recorder, other, guard, hears);
  }

  public Seams withGuard(BiFunction<Guard.Write, List<Guard.Claim>, Guard.Verdict> other) {
    return new Seams(planner, observer, recorder, actor, other, hears);
  }

  public Seams withEars(Predicate<World> other) {
    return new Seams(planner, observer, recorder, actor, guard, other);
  }
}
