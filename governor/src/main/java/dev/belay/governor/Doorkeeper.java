package dev.belay.governor;

import dev.belay.governor.jdbc.Watcher;
import dev.belay.governor.queue.Effect;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Lets nothing begin that is no longer wanted; what was begun is brought to its end. */
final class Doorkeeper implements Watcher {

  /** Nothing has begun, and nothing will. */
  static final class Shut extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Shut(String why) {
      super(why);
    }
  }

  private final BooleanSupplier wanted;
  private Optional<Long> only = Optional.empty();
  private boolean entered;

  Doorkeeper(BooleanSupplier wanted) {
    this.wanted = wanted;
  }

  /** Whoever else comes first does not begin in its place. */
  void only(Optional<Long> id) {
    only = id;
  }

  @Override
  public void before(Effect effect) {
    switch (effect) {
      case Effect.RecordStart e -> enter(e.op().id());
      case Effect.ApplyAtHome e -> enter(e.op().id());
      case Effect.Intend e -> enter(e.op().id());
      default -> {}
    }
  }

  private void enter(long id) {
    if (entered) {
      return;
    }
    if (only.filter(o -> o != id).isPresent()) {
      throw new Shut("operation " + id + " comes before operation " + only.get());
    }
    if (!wanted.getAsBoolean()) {
      throw new Shut("too much time has passed since it was decided");
    }
    entered = true;
  }
}
