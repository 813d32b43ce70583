package dev.belay.sim.check;

import dev.belay.core.model.Spec;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * S4: components go forward in their order, each wholly there before the next, and back in reverse.
 * And who is down in the other components, because one at a time means over all of them (S3).
 */
final class Turns {

  private final World world;
  private final List<Ward> wards = new ArrayList<>();

  Turns(World world) {
    this.world = world;
  }

  /** In the order of the components. */
  void add(Ward ward) {
    wards.add(ward);
  }

  /** How long a member may have to prove itself before the next one goes, here or elsewhere. */
  Duration longestProof() {
    return wards.stream()
        .map(Ward::part)
        .map(p -> p.setup.rollout().soak().plus(p.set().spec().minReady()))
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** In how many components somebody lets the driver wait. */
  int silent() {
    return (int)
        wards.stream().filter(w -> w.part().raft.voters().stream().anyMatch(v -> v.paused)).count();
  }

  /** How many members of other components were not there at any moment since the look. */
  int downElsewhere(Ward mover, Instant looked) {
    int down = 0;
    for (Ward ward : wards) {
      if (ward != mover) {
        Truth.Window window = ward.truth().since(looked);
        long up = window.everExisted() & window.everNotTerminating() & window.everAvailable();
        down += Long.bitCount(wanted(ward.part(), looked) & ~up);
      }
    }
    return down;
  }

  /** Who belongs to the set, and did so when it was looked at. */
  private static long wanted(Part part, Instant looked) {
    return (1L << replicas(part, looked)) - 1;
  }

  /** How many members the set has; those it got by scaling after the look, nobody could know. */
  static int replicas(Part part, Instant looked) {
    return Math.min(part.set().spec().replicas(), part.store.setAsOf(looked).spec().replicas());
  }

  /** A member of this component goes to that revision. */
  void check(Deed deed, Ward mover, String goal, String what) {
    boolean forward = goal.equals(mover.part().wanted()) && !goal.equals(mover.settled());
    int place = wards.indexOf(mover);
    if (forward) {
      wards.subList(0, place).forEach(earlier -> isThere(deed, mover, earlier, what));
    } else {
      wards.subList(place + 1, wards.size()).forEach(later -> isBack(deed, later, what));
    }
  }

  private void isThere(Deed deed, Ward mover, Ward earlier, String what) {
    if (earlier.rests(deed)) {
      return;
    }
    long outdated =
        earlier.truth().since(deed.looked()).alwaysOutdated()
            & earlier.truth().now().exists()
            & wanted(earlier.part(), deed.looked());
    if (outdated != 0) {
      throw new Violation(
          "S4",
          what
              + " while "
              + Long.bitCount(outdated)
              + " of "
              + earlier.part().name()
              + " are still to come");
    }
    if (!earlier.isWhole(deed)) {
      throw new Violation(
          "S4", what + " although not every member of " + earlier.part().name() + " has served");
    }
    Optional<String> version = version(world.api.clusterAsOf(deed.looked()));
    boolean asked = version.equals(version(world.api.cluster()));
    if (asked && version.filter(v -> isAt(mover, v) && !isAt(earlier, v)).isPresent()) {
      throw new Violation(
          "S4", what + " although " + earlier.part().name() + " is not even asked to go there");
    }
  }

  private static boolean isAt(Ward ward, String version) {
    return ward.part().set().spec().template().tag().equals(version);
  }

  private static Optional<String> version(Optional<ClusterObject> cluster) {
    return cluster.map(ClusterObject::spec).flatMap(Spec::version);
  }

  /** Members that go back do so when those of later components are back. */
  private static void isBack(Deed deed, Ward later, String what) {
    long left = later.stillToGoBack(deed);
    if (left != 0) {
      throw new Violation(
          "S4",
          what + " although " + left + " of " + later.part().name() + " are to go back first");
    }
  }
}
