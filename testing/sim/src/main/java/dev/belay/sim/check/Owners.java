package dev.belay.sim.check;

import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Recording;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Install;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * S8 over installs: when the owner of a StatefulCluster may change, what it leaves, and who acts.
 * S16 for a handover: an install whose selector no longer matches restarts nothing.
 */
final class Owners {

  /** How long after its record a leader transfer may still be sent. */
  private static final Duration TRANSFER = Duration.ofSeconds(8);

  /** A request to a member is sent only so long after a look. */
  private static final Duration FRESH_ENOUGH = Duration.ofSeconds(3);

  private final World world;

  Owners(World world) {
    this.world = world;
  }

  /** By what stood there before, whatever the writer took it for. */
  void recorded(ClusterObject cluster, Self self, Memory report, Instant looked) {
    Optional<Owner> before = cluster.owner();
    Optional<Owner> after = report.owner();
    if (after.equals(before)) {
      before
          .filter(o -> !isOf(o, self) || o.released())
          .ifPresent(o -> {
            throw violation(self, "writes the status, and the owner is " + words(o));
          });
    } else if (after.filter(o -> !o.released()).isPresent()) {
      claimed(cluster, self, report, looked);
    } else {
      released(cluster, self, after);
    }
  }

  private void claimed(ClusterObject cluster, Self self, Memory report, Instant looked) {
    Owner owner = report.owner().orElseThrow();
    Optional<Owner> before = cluster.owner();
    long epoch = before.map(Owner::epoch).orElse(0L) + 1;
    if (owner.epoch() != epoch || !isOf(owner, self)) {
      throw violation(self, "claims as " + words(owner) + ", epoch " + epoch + " comes next");
    }
    if (before.filter(o -> isOf(o, self) && !o.released()).isEmpty()) {
      boolean finishes = cluster.deleting() && before.filter(o -> isOf(o, self)).isPresent();
      if (!finishes && !selectedSince(looked, self)) {
        throw violation(self, "claims, and its selector does not match");
      }
      before
          .filter(o -> !o.released())
          .filter(o -> world.installs.holdsLease(Install.named(o.install())))
          .ifPresent(o -> {
            throw violation(self, "claims, and " + words(o) + " holds its lease");
          });
    }
    Optional<RecordedStep> step = cluster.memory().step();
    if (step.filter(this::isAlive).isPresent()
        && !step.map(RecordedStep::id).equals(report.step().map(RecordedStep::id))) {
      throw violation(self, "claims and forgets \"" + step.get().what() + "\"");
    }
  }

  private void released(ClusterObject cluster, Self self, Optional<Owner> after) {
    if (cluster.owner().filter(o -> isOf(o, self)).isEmpty() || after.isEmpty()) {
      throw violation(self, "removes " + cluster.owner().map(Owners::words).orElse(""));
    }
    cluster
        .memory()
        .step()
        .filter(this::isAlive)
        .ifPresent(s -> {
          throw violation(self, "releases, and \"" + s.what() + "\" can still be done");
        });
  }

  /** Whether a process that stalled after the record could still do the step. */
  private boolean isAlive(RecordedStep step) {
    return switch (step.fence()) {
      case Fence.ObjectVersion object -> world.parts().stream().anyMatch(p -> p.isAt(object));
      // Its life is counted by the clock of the process.
      case Fence.LeaderTerm leader ->
          !world.weather.lately(Fault.CLOCK_JUMP, Duration.ofMinutes(2))
              && step.since().plus(TRANSFER).isAfter(world.time.now())
              && world.owner(step.object()).filter(p -> leads(p, leader)).isPresent();
      case Fence.Cluster _ -> false;
      case Fence.MemberTerm _, Fence.Migration _, Fence.Request _, Fence.Verdict _ -> false;
    };
  }

  private static boolean leads(Part part, Fence.LeaderTerm leader) {
    return leader.name().equals("m" + part.raft.leader())
        && leader.term().equals(Long.toString(part.raft.term()));
  }

  void check(Deed deed) {
    Self self = deed.basis().self();
    Step step = deed.step();
    Optional<Owner> owner = world.api.cluster().flatMap(ClusterObject::owner);
    boolean named = owner.filter(o -> isOf(o, self) && !o.released()).isPresent();
    if (!named && !isRecorded(step) && !deed.suspended() && !waitsForALook(deed)) {
      throw violation(
          self,
          "does \"" + step.what() + "\", and the owner is " + owner.map(Owners::words).orElse(""));
    }
    boolean onSet = step instanceof Step.PartitionWrite || step instanceof Step.SetTemplate;
    boolean stamped =
        deed.before().mark().stamp().filter(s -> s.account().equals(self.account())).isPresent();
    if (onSet && !stamped) {
      throw violation(
          self,
          "does \"" + step.what() + "\" on a set that is marked " + deed.before().mark().owner());
    }
    boolean leaves =
        step instanceof Step.Disruptive
            && !selectedSince(deed.looked(), self)
            && world.api.cluster().filter(ClusterObject::deleting).isEmpty();
    if (leaves) {
      throw new Violation(
          "S16", "\"" + step.what() + "\" by " + self.install() + ", which is to hand over");
    }
  }

  /**
   * An undo on an older look is not judged here: its sender sends nothing before a fresh look, and
   * that look drops what belongs to another owner.
   */
  private boolean waitsForALook(Deed deed) {
    return deed.step() instanceof Step.Undo
        && world.time.now().isAfter(deed.looked().plus(FRESH_ENOUGH));
  }

  private boolean isRecorded(Step step) {
    return world
        .api
        .cluster()
        .flatMap(c -> c.memory().step())
        .filter(r -> Recording.of(step).filter(r.step()::equals).isPresent())
        .isPresent();
  }

  /** S16: what was let go and has not struck, strikes while no install owns the cluster. */
  void strikes(String what) {
    world
        .api
        .cluster()
        .flatMap(ClusterObject::owner)
        .filter(Owner::released)
        .ifPresent(o -> {
          throw new Violation("S16", what + " strikes after " + o.install() + " has released");
        });
  }

  private boolean selectedSince(Instant looked, Self self) {
    Install install = Install.named(self.install());
    return world.api.clusterAsOf(looked).filter(install::selects).isPresent()
        || world.api.cluster().filter(install::selects).isPresent();
  }

  private static boolean isOf(Owner owner, Self self) {
    return owner.install().equals(self.install());
  }

  private static String words(Owner owner) {
    return owner.instance()
        + " at epoch "
        + owner.epoch()
        + (owner.released() ? " (released)" : "");
  }

  private static Violation violation(Self self, String what) {
    return new Violation("S8", self.instance() + " " + what);
  }
}
