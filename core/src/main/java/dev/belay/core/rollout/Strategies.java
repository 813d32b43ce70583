package dev.belay.core.rollout;

import dev.belay.core.model.Spec.Strategy;
import dev.belay.core.state.Decision;
import java.util.Optional;

/** What a component does next, by its strategy. */
public record Strategies(Rollout rollout) {

  /** Let the next member through in the way of the strategy, or say why not. */
  Decision roll() {
    return switch (rollout.strategy()) {
      case PARTITION -> new ByPartition(rollout).next();
      case ON_DELETE -> new ByEviction(rollout).next();
      case NATIVE -> new ByController(rollout).next();
    };
  }

  /** Takes back what was let through and may still strike. */
  public Optional<Decision> secure(String why) {
    return switch (rollout.strategy()) {
      case PARTITION -> new ByPartition(rollout).retractReleased();
      case ON_DELETE -> Optional.empty();
      case NATIVE -> new ByController(rollout).stop(why);
    };
  }

  /** What is with its controller stops; the rest stands anyway. */
  public Optional<Decision> standStill(String why) {
    return rollout.strategy() == Strategy.NATIVE
        ? new ByController(rollout).stop(why)
        : Optional.empty();
  }
}
