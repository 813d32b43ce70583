package dev.belay.sim.explore;

import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A small world at one moment. Times are ages in ticks, uids are seats and a resourceVersion is
 * only whether it is still the one that was written down, so that equal worlds are equal.
 *
 * @param places the components in their order
 * @param pending a write of Belay that is held up in the network
 */
record SmallWorld(
    List<Place> places,
    Wishes wishes,
    int changesLeft,
    int faultsLeft,
    Optional<Step> pending,
    Memory memory) {

  /** The StatefulSet: templates by their number. */
  record SetPart(int template, int current, int update, int partition, boolean observed) {

    boolean frozen() {
      return partition == Workload.FROZEN;
    }

    SetPart at(int other) {
      return new SetPart(template, current, update, other, observed && other == partition);
    }
  }

  /** What a pod is up to. */
  enum Phase {
    ABSENT(0),
    STARTING(1),
    READY(2),
    /** Its process is down and comes back by itself. */
    DOWN(3),
    /** It cannot come up, by Kubernetes' own account. */
    TROUBLE(4),
    TERMINATING(5);

    private final int code;

    Phase(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }
  }

  /** The place of one ordinal: its pod, the template it has, and its age in ticks. */
  record Seat(Phase phase, int revision, int age) {

    boolean ready() {
      return phase == Phase.READY;
    }

    Seat become(Phase next) {
      return new Seat(next, revision, age);
    }
  }

  /** What the person asks for; requests are counted, a count being a token. */
  record Wishes(boolean paused, int retries, int rollbacks, int aborts) {}

  Place place(int at) {
    return places.get(at);
  }

  boolean anyOutdated() {
    return places.stream().anyMatch(Place::anyOutdated);
  }

  /** Whether a roll-out is under way, in whichever component. */
  boolean rolling() {
    return memory.components().values().stream().anyMatch(c -> c.target().isPresent());
  }

  boolean refused() {
    return memory.components().values().stream().anyMatch(c -> c.refused().isPresent());
  }

  SmallWorld with(List<Place> others) {
    return new SmallWorld(others, wishes, changesLeft, faultsLeft, pending, memory);
  }

  SmallWorld with(int at, Place other) {
    if (places.size() == 1) {
      return with(List.of(other));
    }
    var changed = new ArrayList<>(places);
    changed.set(at, other);
    return with(changed);
  }

  SmallWorld with(Memory other) {
    return new SmallWorld(places, wishes, changesLeft, faultsLeft, pending, other);
  }

  SmallWorld with(Optional<Step> heldUp) {
    return new SmallWorld(places, wishes, changesLeft, faultsLeft, heldUp, memory);
  }

  SmallWorld fault() {
    return new SmallWorld(places, wishes, changesLeft, faultsLeft - 1, pending, memory);
  }

  SmallWorld wish(Wishes other) {
    return new SmallWorld(places, other, changesLeft - 1, faultsLeft, pending, memory);
  }
}
