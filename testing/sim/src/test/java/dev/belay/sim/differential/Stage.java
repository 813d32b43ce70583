package dev.belay.sim.differential;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What followed one act, without times and uids.
 *
 * <p>Two kubelets do not wait for each other, and one sync of the controller makes several pods at
 * once: only the order between what the controller does and what the kubelets do says something.
 */
record Stage(Script.Act act, List<Event> events, Rest rest) {

  /** In the order in which the API server saw them. */
  record Event(Kind kind, int ordinal, String tag) implements Comparable<Event> {

    @Override
    public int compareTo(Event other) {
      return words().compareTo(other.words());
    }

    String words() {
      return kind.name().toLowerCase(java.util.Locale.ROOT) + " " + ordinal + "@" + tag;
    }
  }

  enum Kind {
    CREATED,
    DELETED,
    READY,
    GONE;

    boolean byController() {
      return this == CREATED || this == DELETED;
    }
  }

  /** The set's status and its pods when nothing happens any more. */
  record Rest(
      String currentRevision, String updateRevision, int updatedReplicas, List<PodAtRest> pods) {}

  /** Which version a pod runs, and whether it is ready. */
  record PodAtRest(int ordinal, String tag, boolean ready) {

    @Override
    public String toString() {
      return ordinal + "@" + tag + (ready ? " ready" : " not ready");
    }
  }

  String words() {
    return act
        + "\n  "
        + ordered().stream().map(Event::words).collect(Collectors.joining(", "))
        + "\n  "
        + rest;
  }

  private List<Event> ordered() {
    var sorted = new ArrayList<Event>();
    for (int i = 0; i < events.size(); ) {
      boolean controller = events.get(i).kind().byController();
      int from = i;
      while (i < events.size() && events.get(i).kind().byController() == controller) {
        sorted.add(events.get(i++));
      }
      Collections.sort(sorted.subList(from, i));
    }
    return sorted;
  }

  static String words(List<Stage> stages) {
    return stages.stream().map(Stage::words).collect(Collectors.joining("\n"));
  }
}
