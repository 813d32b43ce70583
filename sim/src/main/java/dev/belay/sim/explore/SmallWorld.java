package dev.belay.sim.explore;

import dev.belay.core.plan.Step;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Workload;
import java.util.List;
import java.util.Optional;

/**
 * A small world at one moment. Times are ages in ticks, uids are seats and a resourceVersion is
 * only whether it is still the one that was written down, so that equal worlds are equal.
 *
 * @param leader a seat, or -1
 * @param pending a write of Belay that is held up in the network
 * @param failed whether Belay has looked at a pod that failed at the template's revision, and
 *     nobody has asked for another try or template since
 * @param good a bit for every template at which every member has served
 */
record SmallWorld(
    SetPart set,
    List<Seat> seats,
    int leader,
    Wishes wishes,
    int changesLeft,
    int faultsLeft,
    Optional<Step> pending,
    boolean failed,
    int good,
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

  boolean healthy(int seat) {
    return leader >= 0 && seats.get(seat).ready();
  }

  int healthyCount() {
    return leader < 0 ? 0 : readyCount();
  }

  int readyCount() {
    int n = 0;
    for (Seat seat : seats) {
      n += seat.ready() ? 1 : 0;
    }
    return n;
  }

  boolean outdated(int seat) {
    Seat s = seats.get(seat);
    return s.phase() != Phase.ABSENT && s.revision() != set.template();
  }

  boolean anyOutdated() {
    for (int i = 0; i < seats.size(); i++) {
      if (outdated(i)) {
        return true;
      }
    }
    return false;
  }

  /** Everyone serves at one revision. */
  boolean serves(int revision) {
    return leader >= 0 && seats.stream().allMatch(s -> s.ready() && s.revision() == revision);
  }

  boolean everGood(int template) {
    return (good & 1 << template) != 0;
  }

  SmallWorld with(SetPart other) {
    return new SmallWorld(
        other, seats, leader, wishes, changesLeft, faultsLeft, pending, failed, good, memory);
  }

  SmallWorld with(List<Seat> others) {
    return new SmallWorld(
        set, others, leader, wishes, changesLeft, faultsLeft, pending, failed, good, memory);
  }

  SmallWorld with(Memory other) {
    return new SmallWorld(
        set, seats, leader, wishes, changesLeft, faultsLeft, pending, failed, good, other);
  }

  SmallWorld with(Optional<Step> heldUp) {
    return new SmallWorld(
        set, seats, leader, wishes, changesLeft, faultsLeft, heldUp, failed, good, memory);
  }

  SmallWorld led(int by) {
    return new SmallWorld(
        set, seats, by, wishes, changesLeft, faultsLeft, pending, failed, good, memory);
  }

  SmallWorld fault() {
    return new SmallWorld(
        set, seats, leader, wishes, changesLeft, faultsLeft - 1, pending, failed, good, memory);
  }

  SmallWorld wish(Wishes other) {
    return new SmallWorld(
        set, seats, leader, other, changesLeft - 1, faultsLeft, pending, failed, good, memory);
  }

  SmallWorld judged(boolean hasFailed, int lastGood) {
    return new SmallWorld(
        set, seats, leader, wishes, changesLeft, faultsLeft, pending, hasFailed, lastGood, memory);
  }
}
