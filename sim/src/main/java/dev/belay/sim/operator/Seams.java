package dev.belay.sim.operator;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.loop.Loop;
import dev.belay.core.plan.Planner;
import dev.belay.sim.world.World;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Where tests plant a bug: in the judgement, or around one of the loop's three ports. The product
 * runs with none.
 */
public record Seams(
    Function<Function<String, SystemPolicy>, Planner> planner,
    BiFunction<World, Loop.Observer, Loop.Observer> observer,
    BiFunction<World, Loop.Recorder, Loop.Recorder> recorder,
    BiFunction<World, Loop.Actor, Loop.Actor> actor) {

  public static final Seams NONE = new Seams(Planner::new, (w, o) -> o, (w, r) -> r, (w, a) -> a);

  public Seams withPlanner(Function<Function<String, SystemPolicy>, Planner> other) {
    return new Seams(other, observer, recorder, actor);
  }

  public Seams withObserver(BiFunction<World, Loop.Observer, Loop.Observer> other) {
    return new Seams(planner, other, recorder, actor);
  }

  public Seams withRecorder(BiFunction<World, Loop.Recorder, Loop.Recorder> other) {
    return new Seams(planner, observer, other, actor);
  }

  public Seams withActor(BiFunction<World, Loop.Actor, Loop.Actor> other) {
    return new Seams(planner, observer, recorder, other);
  }
}
