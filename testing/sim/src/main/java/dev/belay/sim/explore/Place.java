package dev.belay.sim.explore;

import dev.belay.sim.explore.SmallWorld.Phase;
import dev.belay.sim.explore.SmallWorld.Seat;
import dev.belay.sim.explore.SmallWorld.SetPart;
import java.util.List;

/**
 * One component of a small world.
 *
 * @param leader a seat, or -1
 * @param failed whether Belay has looked at a pod that failed at the template's revision, and
 *     nobody has asked for another try or template since
 * @param good a bit for every template at which every member has served
 */
record Place(SetPart set, List<Seat> seats, int leader, boolean failed, int good) {

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

  int majority() {
    return seats.size() / 2 + 1;
  }

  boolean quorate() {
    return readyCount() >= majority();
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

  Place with(SetPart other) {
    return new Place(other, seats, leader, failed, good);
  }

  Place with(List<Seat> others) {
    return new Place(set, others, leader, failed, good);
  }

  Place led(int by) {
    return new Place(set, seats, by, failed, good);
  }

  Place judged(boolean hasFailed, int everGood) {
    return new Place(set, seats, leader, hasFailed, everGood);
  }
}
