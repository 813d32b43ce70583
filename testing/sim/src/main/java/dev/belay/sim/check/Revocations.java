package dev.belay.sim.check;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.RecordedStep.StepData;
import dev.belay.core.state.Recording;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.World;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * S8: what is done is what is written down at that moment, and nothing else was decided since.
 * Whoever stalled between record and act finds its step revoked, or still the one that everybody
 * goes by.
 */
final class Revocations {

  private final World world;

  /** The steps that were ever written down, by their ids. */
  private final Map<String, StepData> written = new HashMap<>();

  private Optional<Fence> passedOver = Optional.empty();

  Revocations(World world) {
    this.world = world;
  }

  /**
   * Whoever writes something else down, and leaves the step as it is, takes it for dead. To say
   * that its object cannot be read is to decide nothing: the next look at it does.
   */
  void recorded(Snapshot basis, Memory after) {
    Memory before = basis.memory();
    after.step().ifPresent(s -> written.put(s.id(), s.step()));
    boolean claims = !before.owner().equals(after.owner());
    boolean stays =
        after
            .step()
            .filter(s -> before.step().filter(b -> isAsBefore(b, s)).isPresent())
            .isPresent();
    if (!stays) {
      passedOver = Optional.empty();
    } else if (!claims) {
      Optional<Fence> left = after.step().map(RecordedStep::fence);
      passedOver = left.filter(f -> isInSight(basis, f)).or(() -> passedOver);
    }
  }

  private boolean isInSight(Snapshot basis, Fence fence) {
    Optional<Component> of =
        world.owner(fence.name()).flatMap(part -> basis.component(part.name()));
    return of.filter(c -> (isPod(fence) ? c.pods() : c.workload()) instanceof Fact.Known<?>)
        .isPresent();
  }

  private static boolean isAsBefore(RecordedStep before, RecordedStep after) {
    return after.id().equals(before.id()) && after.attempts() <= before.attempts();
  }

  private static boolean isPod(Fence fence) {
    return fence instanceof Fence.ObjectVersion object && object.kind() == Fence.Kind.POD;
  }

  /** It is written down, or its revocation is: of the two, one meets a conflict. */
  private boolean isOf(RecordedStep recorded, Step step) {
    Optional<StepData> done = Recording.of(step);
    return done.filter(recorded.step()::equals).isPresent()
        || done.filter(
                s -> Recording.revoked(recorded).map(written::get).filter(s::equals).isPresent())
            .isPresent();
  }

  void check(Deed deed) {
    Step step = deed.step();
    // Only an object can be moved, so that a step which was recorded for it is void.
    if (!(step.fence() instanceof Fence.ObjectVersion)) {
      return;
    }
    Optional<RecordedStep> recorded =
        world.api.cluster().flatMap(ClusterObject::status).flatMap(r -> r.memory().step());
    if (recorded.filter(r -> isOf(r, step)).isEmpty()) {
      String instead = recorded.map(r -> "\"" + r.what() + "\" is").orElse("nothing is");
      throw new Violation("S8", "\"" + step.what() + "\" is done while " + instead + " recorded");
    }
    if (passedOver.filter(step.fence()::equals).isPresent()) {
      throw new Violation("S8", "\"" + step.what() + "\" is done, and something else was decided");
    }
  }
}
