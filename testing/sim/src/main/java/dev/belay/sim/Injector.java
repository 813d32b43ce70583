package dev.belay.sim;

import dev.belay.core.model.Workload;
import dev.belay.core.state.RecordedStep;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.User;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Makes things go wrong, and counts during which step of Belay they did. */
final class Injector {

  private static final Duration CATCHES_UP = Duration.ofSeconds(2);

  private static final Duration ONCE_IN_A_WHILE = Duration.ofSeconds(1);

  private final World world;
  private final User user;
  private final Handovers handovers;
  private final Map<Fault, Map<String, Integer>> counts = new TreeMap<>();

  Injector(World world, User user) {
    this.world = world;
    this.user = user;
    this.handovers = new Handovers(world, user);
  }

  Map<Fault, Map<String, Integer>> counts() {
    return counts;
  }

  void plan(List<Injection> faults) {
    faults.forEach(f -> world.time.after(f.at(), () -> happen(f)));
  }

  /** All of Belay that is left runs, and one install selects the cluster. */
  void heal() {
    handovers.heal();
  }

  private void happen(Injection f) {
    if (f.fault().needsTwoInstalls() && f.target() % 2 == 1) {
      handovers.whenStepIsRecorded(() -> strike(f));
    } else {
      strike(f);
    }
  }

  private void strike(Injection f) {
    world.trace.say("fault", f.fault() + " (" + f.fault().words() + ")");
    counts.computeIfAbsent(f.fault(), k -> new TreeMap<>()).merge(step(), 1, Integer::sum);
    switch (f.fault()) {
      case OPERATOR_CRASH,
          REPLY_LOST,
          OPERATOR_STALLS,
          LATE_WRITE,
          CONFLICT,
          POD_PENDING,
          IMAGE_PULL,
          LEADER_MOVES_BACK -> {
        world.weather.arm(f.fault(), f.target());
        world.weather.begin(f.fault(), Duration.ofSeconds(2));
      }
      case TWO_OPERATORS,
          STALE_PODS,
          STALE_SET,
          STALE_CLUSTER,
          EVENTS_DROPPED,
          EVENTS_DUPLICATED,
          EVENTS_DELAYED,
          SERVER_ERRORS,
          API_OUTAGE,
          CONTROLLER_DOWN,
          BUDGET_EXHAUSTED,
          CHECK_SAYS_NO,
          DRIVER_ANSWERS ->
          world.weather.begin(f.fault(), f.length());
      case GUARD_MISSING -> {
        if (f.target() % 3 == 0) {
          world.weather.lasts(f.fault());
        } else {
          world.weather.begin(f.fault(), f.length());
        }
      }
      case WATCH_EXPIRES -> {
        world.weather.begin(f.fault(), f.length());
        world.time.after(f.length(), () -> expire(f));
      }
      case CLOCK_JUMP -> {
        world.weather.begin(f.fault(), f.length());
        // What was written down with a wrong clock stays wrong for as long as the clock was off.
        world.weather.blindFor(f.length().plusSeconds(45));
      }
      case NODE_LOST -> on(f).ifPresent(s -> s.part.kubelet.lose(s.pod.ordinal(), f.length()));
      case NODE_CORDONED ->
          on(f).ifPresent(s -> s.part.kubelet.cordon(s.pod.ordinal(), f.length()));
      case POD_CRASH -> on(f).ifPresent(s -> s.part.kubelet.crash(s.pod.uid()));
      case EVICTION -> on(f).ifPresent(s -> user.evict(s.pod));
      case MEMBER_PAUSED -> on(f).ifPresent(s -> forAWhile(f, s.part.raft::pause, s.pod.ordinal()));
      case NETWORK_CUT -> on(f).ifPresent(s -> forAWhile(f, s.part.raft::cut, s.pod.ordinal()));
      case SLOW_DISK -> {
        world.weather.begin(f.fault(), f.length());
        on(f).ifPresent(s -> forAWhile(f, s.part.raft::slow, s.pod.ordinal()));
      }
      case LEADER_FLAP -> part(f).raft.flap();
      default -> person(f);
    }
  }

  /**
   * 410: a new list at once, which is news by itself; every other one comes from a server that is
   * behind.
   */
  private void expire(Injection f) {
    if (world.weather.over()) {
      return;
    }
    world.trace.say("watches", "end with 410, and list anew");
    if (f.target() % 2 == 1) {
      world.weather.listed(
          world.weather.since(Fault.WATCH_EXPIRES).minusMillis(500L + f.target() * 5L), CATCHES_UP);
      world.time.after(CATCHES_UP, world.api::relisted);
    }
    world.api.relisted();
  }

  private void person(Injection f) {
    switch (f.fault()) {
      case USER_TEMPLATE -> user.upgrade();
      case USER_BROKEN_TEMPLATE -> user.breakIt();
      case USER_REVERTS -> user.revert();
      case USER_RESTARTS -> user.restart(part(f));
      case USER_SCALES -> user.scale(part(f), f.target() % 2 == 0 ? 1 : -1);
      case USER_PARTITION -> user.setPartition(part(f), partition(f));
      case USER_STRATEGY -> user.switchStrategy(part(f));
      case USER_RECREATES_SET -> user.recreateSet(part(f));
      case USER_DELETES_CLUSTER -> user.deleteCluster();
      case USER_PAUSES -> {
        user.pause(true);
        world.time.after(f.length(), () -> user.pause(false));
      }
      case USER_HOLDS_POD ->
          on(f)
              .ifPresent(s -> {
                user.hold(s.pod, true);
                world.time.after(f.length(), () -> user.hold(s.pod, false));
              });
      case USER_ROLLS_BACK -> user.rollBack();
      case USER_ABORTS -> user.abort();
      case USER_RETRIES -> user.retry();
      case USER_FORCES -> user.force(f.target() % 4 != 0);
      case USER_APPROVES -> attend(f.length());
      case USER_RELABELS,
          USER_RELABELS_BACK,
          USER_UNLABELS,
          USER_LABELS_TWICE,
          INSTALL_UNINSTALLED,
          INSTALL_DIES,
          INSTALL_PAUSED,
          INSTALL_CUT_OFF ->
          handovers.happen(f);
      case USER_DELETES_SET -> {
        user.deleteSet(part(f));
        world.time.after(f.length(), () -> user.createSet(part(f)));
      }
      default -> throw new IllegalStateException("nobody does " + f.fault());
    }
  }

  private void attend(Duration left) {
    user.approve();
    if (left.isPositive()) {
      world.time.after(ONCE_IN_A_WHILE, () -> attend(left.minus(ONCE_IN_A_WHILE)));
    }
  }

  private int partition(Injection f) {
    return switch (f.target() % 3) {
      case 0 -> 0;
      case 1 -> f.target() % (part(f).set().spec().replicas() + 1);
      default -> Workload.FROZEN;
    };
  }

  private void forAWhile(
      Injection f, java.util.function.BiConsumer<Integer, Boolean> what, int ordinal) {
    what.accept(ordinal, true);
    world.time.after(f.length(), () -> what.accept(ordinal, false));
  }

  /** One pod, and the component it is of. */
  private record Spot(Part part, PodObject pod) {}

  private Optional<Spot> on(Injection f) {
    List<Spot> all =
        world.parts().stream()
            .flatMap(part -> part.pods().stream().map(pod -> new Spot(part, pod)))
            .toList();
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(f.target() % all.size()));
  }

  /** The component that a fault which is not about one pod is about. */
  private Part part(Injection f) {
    return world.parts().get(f.target() / 7 % world.parts().size());
  }

  /** What Belay was at, in one word. */
  private String step() {
    return world
        .api
        .cluster()
        .map(ClusterObject::memory)
        .flatMap(m -> m.step())
        .map(RecordedStep::what)
        .map(what -> what.split("[ :]", 2)[0])
        .orElse("idle");
  }
}
