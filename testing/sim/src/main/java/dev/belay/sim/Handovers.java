package dev.belay.sim;

import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.RecordedStep;
import dev.belay.sim.world.ApiServer;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Install;
import dev.belay.sim.world.User;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/** What moves the StatefulCluster from one install to another, or takes its install away. */
final class Handovers {

  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Whoever uninstalls waits so long for the release. */
  private static final int PATIENCE = 40;

  private final World world;
  private final User user;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private String step = "";

  Handovers(World world, User user) {
    this.world = world;
    this.user = user;
    world.api.watch(kind -> {
      if (kind == ApiServer.Kind.STATUS) {
        recorded();
      }
    });
  }

  /** Right after a step was recorded: in the middle of it, whichever it is. */
  void whenStepIsRecorded(Runnable what) {
    waiting.add(what);
    world.time.after(
        SECOND.multipliedBy(20),
        () -> {
          if (waiting.remove(what)) {
            what.run();
          }
        });
  }

  private void recorded() {
    String now =
        world.api.cluster().flatMap(c -> c.memory().step()).map(RecordedStep::id).orElse("");
    if (!now.equals(step) && !now.isEmpty() && !waiting.isEmpty()) {
      world.time.after(Duration.ofMillis(1), waiting.remove());
    }
    step = now;
  }

  void happen(Injection f) {
    Install owner = owner();
    Install other = owner.other();
    if (world.weather.over() || !stays(owner) || !stays(other)) {
      return;
    }
    switch (f.fault()) {
      case USER_RELABELS -> label(EnumSet.of(other));
      case USER_RELABELS_BACK -> forAWhile(EnumSet.of(other), f.length().dividedBy(8), owner);
      case USER_UNLABELS ->
          forAWhile(EnumSet.noneOf(Install.class), f.length(), f.target() % 3 == 0 ? owner : other);
      case USER_LABELS_TWICE ->
          forAWhile(EnumSet.allOf(Install.class), f.length(), f.target() % 3 == 0 ? owner : other);
      case INSTALL_UNINSTALLED -> {
        world.installs.leave(owner);
        label(f.target() % 3 == 0 ? EnumSet.noneOf(Install.class) : EnumSet.of(other));
        whenReleased(owner, PATIENCE);
      }
      case INSTALL_DIES -> {
        world.trace.say(owner.label(), "every process ends for good");
        world.installs.dies(owner);
        label(f.target() % 3 == 0 ? EnumSet.allOf(Install.class) : EnumSet.of(other));
      }
      case INSTALL_PAUSED -> {
        world.weather.arm(f.fault(), f.target());
        Set<Install> wanted = f.target() % 4 < 2 ? EnumSet.of(other) : EnumSet.allOf(Install.class);
        world.time.after(f.length().dividedBy(6), () -> label(wanted));
      }
      case INSTALL_CUT_OFF -> {
        Duration length = f.length().plusSeconds(f.target() % 5 == 0 ? 0 : 50);
        world.trace.say(owner.label(), "is cut off for " + length.toMillis() + " ms");
        world.installs.cut(owner, length);
        world.weather.blindFor(length);
        label(f.target() % 3 == 0 ? EnumSet.allOf(Install.class) : EnumSet.of(other));
      }
      default -> throw new IllegalStateException(f.fault() + " moves no cluster");
    }
  }

  private void forAWhile(Set<Install> meanwhile, Duration length, Install then) {
    label(meanwhile);
    world.time.after(length, () -> label(EnumSet.of(then)));
  }

  /** Nobody labels for an install that is gone, and nobody goes on after the faults. */
  private void label(Set<Install> wanted) {
    if (!world.weather.over()) {
      user.label(wanted);
    }
  }

  private boolean stays(Install install) {
    return world.installs.runs(install) && !world.installs.isLeaving(install);
  }

  private void whenReleased(Install install, int tries) {
    if (world.weather.over()) {
      return;
    }
    Optional<Owner> owner = world.api.cluster().flatMap(ClusterObject::owner);
    boolean released = owner.filter(o -> !isOf(o, install) || o.released()).isPresent();
    if (released || tries == 0) {
      world.trace.say(install.label(), "is uninstalled");
      world.installs.uninstall(install);
    } else {
      world.time.after(SECOND, () -> whenReleased(install, tries - 1));
    }
  }

  private Install owner() {
    return world
        .api
        .cluster()
        .flatMap(ClusterObject::owner)
        .map(Owner::install)
        .map(Install::named)
        .orElse(Install.BELAY);
  }

  private static boolean isOf(Owner owner, Install install) {
    return owner.install().equals(install.label());
  }

  /** One install that runs selects the cluster, and stays. */
  void heal() {
    world.installs.heal();
    waiting.clear();
    if (!world.installs.several()) {
      return;
    }
    Install owner = owner();
    user.label(EnumSet.of(stays(owner) ? owner : owner.other()));
  }
}
