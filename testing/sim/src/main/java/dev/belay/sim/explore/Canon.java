package dev.belay.sim.explore;

import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Handled;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.RecordedStep.Kind;
import dev.belay.core.state.Step;
import dev.belay.sim.explore.SmallWorld.Phase;
import dev.belay.sim.explore.SmallWorld.Seat;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The canonical form of a small world. What only people read is left out of the memory; of times
 * only their order is kept, and whether they are now; of a fence only whether it still holds.
 */
final class Canon {

  private static final int TRIES = 3;

  private Canon() {}

  static SmallWorld of(SmallWorld w) {
    var ages = new TreeSet<Integer>();
    for (Place place : w.places()) {
      place.seats().stream().filter(s -> s.phase() != Phase.ABSENT).forEach(s -> ages.add(s.age()));
    }
    w.memory().step().ifPresent(s -> ages.add(Glance.age(s.since())));
    w.memory().components().values().stream()
        .flatMap(c -> c.target().stream())
        .forEach(t -> {
          ages.add(Glance.age(t.since()));
          ages.add(Glance.age(t.tried()));
        });
    var ranks = new HashMap<Integer, Integer>();
    int next = 1;
    for (int age : ages) {
      ranks.put(age, age == 0 ? 0 : next++);
    }
    IntUnaryOperator rank = ranks::get;
    List<Place> places =
        w.places().stream().map(p -> p.with(seats(p.seats(), s -> ranked(s, rank)))).toList();
    return w.with(places).with(memory(w.memory(), rank));
  }

  private static List<Seat> seats(List<Seat> seats, UnaryOperator<Seat> change) {
    return seats.stream().map(change).toList();
  }

  private static Seat ranked(Seat s, IntUnaryOperator rank) {
    return s.phase() == Phase.ABSENT
        ? new Seat(Phase.ABSENT, 0, 0)
        : new Seat(s.phase(), s.revision(), rank.applyAsInt(s.age()));
  }

  /** Whether an upgrade is under way counts, not what people read of it. */
  private static Memory memory(Memory m, IntUnaryOperator rank) {
    return new Memory(
        m.owner(),
        m.step().map(s -> step(s, rank)),
        1,
        each(m, (name, c) -> component(c, rank)),
        Optional.empty(),
        new Handled("", m.handled().retry(), m.handled().rollback(), m.handled().abort()),
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  private static Map<String, ComponentMemory> each(
      Memory m, BiFunction<String, ComponentMemory, ComponentMemory> change) {
    var changed = new TreeMap<String, ComponentMemory>();
    m.components().forEach((name, c) -> changed.put(name, change.apply(name, c)));
    return changed;
  }

  private static RecordedStep step(RecordedStep s, IntUnaryOperator rank) {
    int attempts = s.is(Kind.TRANSFER_LEADER) ? Math.min(s.attempts(), TRIES) : 1;
    return new RecordedStep("1-1", s.step(), s.what(), ranked(s.since(), rank), attempts);
  }

  private static ComponentMemory component(ComponentMemory c, IntUnaryOperator rank) {
    var serving = new TreeMap<String, Instant>();
    c.servingSince().keySet().forEach(uid -> serving.put(uid, Glance.NOW));
    return new ComponentMemory(
        c.adopted(),
        c.lastGood(),
        c.target().map(t -> target(t, rank)),
        c.refused().map(Canon::refused),
        serving,
        c.served(),
        c.written(),
        c.notes(),
        c.observed(),
        List.of(),
        "");
  }

  private static Target target(Target t, IntUnaryOperator rank) {
    Instant since = ranked(t.since(), rank);
    return new Target(
        t.revision(), t.version(), since, ranked(t.tried(), rank), since, t.through(), t.before());
  }

  private static Refused refused(Refused r) {
    return new Refused(r.revision(), r.version(), r.cause(), "", "", Glance.NOW, r.withdrawing());
  }

  private static Instant ranked(Instant at, IntUnaryOperator rank) {
    return Glance.at(rank.applyAsInt(Glance.age(at)));
  }

  /** An object was written: what was fenced on it meets a conflict from now on. */
  static SmallWorld moved(SmallWorld w, Fence.Kind kind, String name) {
    return stale(
        w,
        f ->
            f instanceof Fence.ObjectVersion object
                && object.kind() == kind
                && object.name().equals(name));
  }

  /** Leadership moved: a transfer that was fenced on the leader before meets a conflict. */
  static SmallWorld led(SmallWorld w, String member) {
    return stale(w, f -> f instanceof Fence.LeaderTerm(String of, _) && of.startsWith(member));
  }

  private static SmallWorld stale(SmallWorld w, Predicate<Fence> moved) {
    Optional<RecordedStep> recorded =
        w.memory().step().map(s -> moved.test(s.fence()) ? s.withFence(stale(s.fence())) : s);
    Optional<Step> pending = w.pending().filter(p -> !moved.test(p.fence()));
    return w.with(with(w.memory(), recorded, w.memory().components())).with(pending);
  }

  /** The kind stays: attempts are counted by it. */
  private static Fence stale(Fence fence) {
    return switch (fence) {
      case Fence.ObjectVersion f -> new Fence.ObjectVersion(f.kind(), f.name(), "stale", "stale");
      case Fence.LeaderTerm f -> new Fence.LeaderTerm(f.name(), "stale");
      default -> throw new IllegalArgumentException("nothing moves " + fence);
    };
  }

  private static Memory with(
      Memory m, Optional<RecordedStep> step, Map<String, ComponentMemory> components) {
    return new Memory(
        m.owner(),
        step,
        m.steps(),
        components,
        m.blocked(),
        m.handled(),
        m.forced(),
        m.run(),
        m.history());
  }

  /** A pod is another one from now on: nothing that is known of its uid holds for it. */
  static SmallWorld anew(SmallWorld w, int place, int seat) {
    String component = Terrain.name(place);
    String uid = Glance.uid(place, seat);
    Memory m = w.memory();
    Memory forgotten =
        with(m, m.step(), each(m, (name, c) -> name.equals(component) ? without(c, uid) : c));
    return moved(w.with(forgotten), Fence.Kind.POD, Glance.pod(place, seat));
  }

  private static ComponentMemory without(ComponentMemory c, String uid) {
    var serving = new TreeMap<>(c.servingSince());
    serving.remove(uid);
    var served = new TreeSet<>(c.served());
    served.remove(uid);
    return new ComponentMemory(
        c.adopted(),
        c.lastGood(),
        c.target().map(t -> without(t, uid)),
        c.refused(),
        serving,
        served,
        c.written(),
        c.notes(),
        c.observed(),
        List.of(),
        "");
  }

  private static Target without(Target t, String uid) {
    var before = new TreeSet<>(t.before());
    before.remove(uid);
    return new Target(
        t.revision(), t.version(), t.since(), t.tried(), t.moved(), t.through(), before);
  }

  /** Everything gets one tick older. */
  static SmallWorld older(SmallWorld w) {
    List<Place> places =
        w.places().stream()
            .map(p -> p.with(seats(p.seats(), s -> new Seat(s.phase(), s.revision(), s.age() + 1))))
            .toList();
    Memory m = w.memory();
    Optional<RecordedStep> step = m.step().map(s -> s.since(s.since().minus(Glance.TICK)));
    return w.with(places).with(with(m, step, each(m, (name, c) -> older(c))));
  }

  private static ComponentMemory older(ComponentMemory c) {
    Optional<Target> target =
        c.target()
            .map(t ->
                new Target(
                    t.revision(),
                    t.version(),
                    t.since().minus(Glance.TICK),
                    t.tried().minus(Glance.TICK),
                    t.moved(),
                    t.through(),
                    t.before()));
    return new ComponentMemory(
        c.adopted(),
        c.lastGood(),
        target,
        c.refused(),
        c.servingSince(),
        c.served(),
        c.written(),
        c.notes(),
        c.observed(),
        List.of(),
        "");
  }
}
