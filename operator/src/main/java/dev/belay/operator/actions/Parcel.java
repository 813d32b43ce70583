package dev.belay.operator.actions;

import dev.belay.core.state.Memory.Obligation;
import dev.belay.operator.wire.Answer;
import java.time.Instant;

/**
 * An order that goes to a host because of an obligation.
 *
 * @param undo whether it takes the action back
 */
record Parcel(Duty duty, boolean undo, String host, Order order) {

  /**
   * An obligation of a component.
   *
   * @param since when it was begun: one that is begun again has nothing to do with earlier answers
   */
  record Duty(String component, String id, Instant since) {

    static Duty of(String component, Obligation obligation) {
      return new Duty(component, obligation.id(), obligation.since());
    }

    /** The same however often it is begun. */
    String name() {
      return component + "/" + id;
    }
  }

  /** Whether both do the same for the same reason. */
  boolean doesThat(Parcel other) {
    return undo == other.undo && duty.equals(other.duty);
  }

  Answer send() throws InterruptedException {
    return order.call().to(host, order.pace().timeout());
  }
}
