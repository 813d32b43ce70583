package dev.belay.sim.differential;

import dev.belay.core.model.Workload.Order;
import dev.belay.core.model.Workload.Update;
import java.util.List;

/** What is done to one StatefulSet, one thing after the other, each when the last came to rest. */
record Script(String name, Start start, List<Act> acts) {

  /** The set as it is created, on version {@link #FIRST}. */
  record Start(Order order, int replicas, int firstOrdinal, int minReadySeconds) {

    static Start of(Order order, int replicas) {
      return new Start(order, replicas, 0, 0);
    }
  }

  static final String FIRST = "3.5.1";
  static final String NEXT = "3.6.0";
  static final String LATER = "3.7.0";
  static final String CRASHES = "3.6.1-crash";
  static final String HANGS = "3.6.2-hang";
  static final String MISSING = "3.6.3-missing";

  /** The one thing that is done. */
  sealed interface Act {

    /** The set is there. */
    record Created() implements Act {}

    record Roll(String tag) implements Act {}

    record Partition(int index) implements Act {}

    record Scale(int replicas) implements Act {}

    record DeletePod(int ordinal) implements Act {}

    record Strategy(Update update) implements Act {}

    record MinReady(int seconds) implements Act {}

    /** {@code kubectl delete --cascade=orphan} and create again. */
    record Recreate(String tag, int partition) implements Act {}
  }

  static Script of(String name, Start start, Act... acts) {
    return new Script(name, start, List.of(acts));
  }

  @Override
  public String toString() {
    return name;
  }
}
