package dev.belay.sim;

import dev.belay.core.loop.Loop;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Snapshot.Selection;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.sim.operator.Seams;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Install;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** What a planted bug forgets while a cluster moves from one install to another. */
final class Takeovers {

  /** How long a Lease holds; an effect that was sent before may still come after it. */
  private static final Duration LEASE = Duration.ofSeconds(15);

  private Takeovers() {}

  /** An owner of another install counts as released. */
  static Snapshot withoutRelease(Snapshot s) {
    return isAnothers(s)
        ? s.remembering(owned(s.memory(), s.memory().owner().map(Owner::release)))
        : s;
  }

  /** The owner leaves at once: whatever it recorded or released stays as it is. */
  static Seams releasedUnsettled() {
    return Seams.NONE
        .withObserver((world, observer) -> () -> leftAtOnce(observer.observe()))
        .withRecorder((world, recorder) ->
            (basis, report) ->
                report.memory().owner().filter(Owner::released).isPresent()
                    ? recorder.record(
                        basis.remembering(truth(world)),
                        Lapses.remembering(report, owned(truth(world), report.memory().owner())))
                    : recorder.record(basis, report));
  }

  private static Snapshot leftAtOnce(Snapshot s) {
    boolean leaves =
        !s.selection().matches()
            && s.memory().owner().filter(o -> !o.released() && isOf(o, s.self())).isPresent();
    Memory m = s.memory();
    return leaves ? s.remembering(with(m, m.owner(), Optional.empty(), Map.of())) : s;
  }

  /** The next install begins with an empty record. */
  static Seams recordDropped() {
    return Seams.NONE.withRecorder((world, recorder) ->
        (basis, report) -> {
          Memory m = report.memory();
          boolean claims = isAnothers(basis) || isReleased(basis);
          return recorder.record(
              basis,
              claims
                  ? Lapses.remembering(report, with(m, m.owner(), Optional.empty(), m.components()))
                  : report);
        });
  }

  private static boolean isReleased(Snapshot s) {
    return s.memory().owner().filter(Owner::released).isPresent();
  }

  /** An install that is selected acts, and the status goes on to name another one. */
  static Seams twoOwners() {
    return Seams.NONE
        .withObserver((world, observer) -> () -> asOwner(observer.observe()))
        .withRecorder((world, recorder) ->
            (basis, report) ->
                recorder.record(
                    basis,
                    isNamedAnother(world, basis.self())
                        ? Lapses.remembering(report, owned(report.memory(), truth(world).owner()))
                        : report));
  }

  private static Snapshot asOwner(Snapshot s) {
    Self self = s.self();
    return isAnothers(s)
        ? s.remembering(
            owned(
                s.memory(),
                s.memory()
                    .owner()
                    .map(o ->
                        new Owner(
                            self.install(),
                            self.instance(),
                            self.account(),
                            o.epoch(),
                            self.lease(),
                            false))))
        : s;
  }

  private static boolean isNamedAnother(World world, Self self) {
    return truth(world).owner().filter(o -> !o.released() && !isOf(o, self)).isPresent();
  }

  /** The owner counts as gone as soon as its Lease is over. */
  static Loop.Observer impatient(World world, Loop.Observer observer) {
    var version = new AtomicReference<Optional<Long>>(Optional.empty());
    var since = new AtomicReference<>(Instant.MAX);
    return () -> {
      Snapshot s = observer.observe();
      Optional<Long> now =
          s.memory()
              .owner()
              .map(o -> Install.named(o.install()))
              .flatMap(world.installs::leaseVersion);
      if (!now.equals(version.get())) {
        version.set(now);
        since.set(world.time.now());
      }
      boolean over = isAnothers(s) && since.get().isBefore(world.time.now().minus(LEASE));
      return over ? s.selectedAs(new Selection(true, true)) : s;
    };
  }

  /** Whether this install is selected, and another one owns the cluster. */
  private static boolean isAnothers(Snapshot s) {
    return s.selection().matches()
        && s.memory().owner().filter(o -> !o.released() && !isOf(o, s.self())).isPresent();
  }

  private static boolean isOf(Owner owner, Self self) {
    return owner.install().equals(self.install());
  }

  private static Memory truth(World world) {
    return world.api.cluster().map(ClusterObject::memory).orElse(Memory.EMPTY);
  }

  private static Memory owned(Memory m, Optional<Owner> owner) {
    return with(m, owner, m.step(), m.components());
  }

  private static Memory with(
      Memory m,
      Optional<Owner> owner,
      Optional<RecordedStep> step,
      Map<String, ComponentMemory> components) {
    return new Memory(
        owner,
        step,
        m.steps(),
        components,
        m.blocked(),
        m.handled(),
        m.forced(),
        m.run(),
        m.history());
  }
}
