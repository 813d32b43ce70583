package dev.belay.core.state;

import dev.belay.core.model.Among;
import java.util.List;
import java.util.stream.Stream;

/** What to do about a snapshot. */
public sealed interface Decision {

  /** Take this step. */
  record Perform(Step step) implements Decision {}

  /** Nothing may be done now; it will go on by itself. The most telling objection comes first. */
  record Wait(List<Objection> objections) implements Decision {
    public Wait {
      objections = List.copyOf(objections);
    }
  }

  /**
   * Nothing may be done, and a person is needed.
   *
   * @param waitingFor what to approve, if that helps
   * @param revision that the roll-out leads to in which it is asked; empty when nothing is
   */
  record Hold(List<Objection> objections, String waitingFor, String revision) implements Decision {
    public Hold {
      objections = List.copyOf(objections);
    }
  }

  /** The world is as it should be. */
  record Done() implements Decision {}

  /** Waits or holds, as the objections ask for. */
  static Decision because(List<Objection> objections) {
    return Among.any(objections, o -> o.weight().needsPerson())
        ? new Hold(objections, "", "")
        : new Wait(objections);
  }

  /** The same, with further objections shown behind its own. */
  default Decision also(List<Objection> further) {
    if (further.isEmpty()) {
      return this;
    }
    return switch (this) {
      case Wait w -> new Wait(Stream.concat(w.objections.stream(), further.stream()).toList());
      case Hold h ->
          new Hold(
              Stream.concat(h.objections.stream(), further.stream()).toList(),
              h.waitingFor(),
              h.revision());
      case Perform _, Done _ -> this;
    };
  }

  /** Those objections that stop the line. */
  default List<Objection> failures() {
    return Among.those(objections(), o -> o.weight() == Objection.Weight.FAILURE);
  }

  /** The objections, if any. */
  default List<Objection> objections() {
    return switch (this) {
      case Wait w -> w.objections;
      case Hold h -> h.objections;
      case Perform _ -> List.of();
      case Done _ -> List.of();
    };
  }
}
