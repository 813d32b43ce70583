package dev.belay.drivers.tikv;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.GroupRules;
import dev.belay.core.rules.Rules;
import dev.belay.core.state.Command;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Blocked;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.drivers.contract.Scene;
import dev.belay.drivers.tikv.Answers.Gap;
import dev.belay.drivers.tikv.Answers.Regions;
import dev.belay.drivers.tikv.Answers.Store;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Stores under a PD that does what it is told, in a roll-out, and what Belay would remember. */
final class World {

  private static final Fence.ObjectVersion FENCE = Scene.fence("tikv");

  final Map<Integer, String> states = new TreeMap<>();
  final Map<Integer, Long> leaders = new TreeMap<>();
  final Set<String> evicted = new TreeSet<>();
  final Map<Integer, Integer> lives = new HashMap<>();
  final Map<Integer, Integer> starts = new HashMap<>();
  final Set<Integer> unready = new TreeSet<>();
  final Set<Integer> terminating = new TreeSet<>();
  final List<Store> elsewhere = new ArrayList<>();
  String firstId = "11";
  List<Gap> down = List.of();
  List<Gap> missing = List.of();
  Fact<Regions> regions = Fact.known(new Regions(12, Map.of("10", 12L)));
  boolean evictionsReadable = true;
  boolean podsReadable = true;
  int maxReplicas = 3;
  int size = 3;
  int replicas = 3;
  int maxUnavailable = 1;
  boolean sentBack;
  boolean allowDowntime;
  boolean deleting;
  Optional<Duration> limit = Optional.empty();
  Optional<Blocked> blocked = Optional.empty();
  List<Note> notes = List.of();

  private Optional<RecordedStep> step = Optional.empty();
  private Instant now = Instant.parse("2026-11-16T08:00:00Z");

  World later(Duration time) {
    now = now.plus(time);
    return this;
  }

  Instant now() {
    return now;
  }

  static String id(int store) {
    return Integer.toString(10 + store);
  }

  private String idOf(int store) {
    return store == 1 ? firstId : id(store);
  }

  /** One look that ends with this command on record; it is not carried out yet. */
  World record(Command command) {
    List<Note> next = TikvPolicy.INSTANCE.remember(snapshot(), component());
    step = Optional.of(Scene.recorded("tikv", command, now, 1));
    notes = next;
    return this;
  }

  /** Another look, with nothing to do or with another step. */
  World look() {
    notes = TikvPolicy.INSTANCE.remember(snapshot(), component());
    step = Optional.of(Scene.released("tikv", now));
    return later(Duration.ofSeconds(1));
  }

  /** PD does what it is told, and moves leaders at once. */
  World obey(Command command) {
    if (command.verb().equals("evict")) {
      evicted.add(command.memberId());
    } else {
      evicted.remove(command.memberId());
    }
    return later(Duration.ofSeconds(1));
  }

  /** Recorded, done and noted. */
  World carryOut(Command command) {
    return record(command).obey(command).look();
  }

  /** Evicted, its leaders gone. */
  World evict(int store) {
    carryOut(prepare(store).orElseThrow());
    leaders.put(store, 0L);
    return this;
  }

  /** Another pod in its place, of which PD has not heard yet. */
  World replace(int store) {
    lives.merge(store, 1, Integer::sum);
    return this;
  }

  World heartbeat(int store) {
    starts.merge(store, 1, Integer::sum);
    return this;
  }

  Optional<Command> prepare(int store) {
    return TikvPolicy.INSTANCE.prepare(snapshot(), component(), pod(store));
  }

  Optional<Command> tend(Optional<Integer> busy) {
    return TikvPolicy.INSTANCE.tend(snapshot(), component(), busy.map(this::pod));
  }

  List<String> owes() {
    return TikvPolicy.INSTANCE.owes(component(), notes);
  }

  List<Objection> toRelease(int store) {
    var release = new Step.Release("tikv", FENCE, store, "tikv-" + store);
    return TikvPolicy.INSTANCE.rules().stream()
        .flatMap(rule -> rule.objection(snapshot(), component(), release).stream())
        .toList();
  }

  /** What the rule for all systems says to taking it down. */
  Optional<Objection> groupObjection(int store) {
    var release = new Step.Release("tikv", FENCE, store, "tikv-" + store);
    return Rules.of(GroupRules.EVERY_GROUP_SURVIVES).objection(snapshot(), component(), release);
  }

  Fact<Topology> topology() {
    var stores = new ArrayList<>(elsewhere);
    IntStream.range(0, replicas).forEach(i -> stores.add(store(i)));
    var report =
        new PdReport(
            "7",
            Fact.known(stores),
            Fact.known(maxReplicas),
            evictionsReadable ? Fact.known(List.copyOf(evicted)) : Fact.unknown("no answer"),
            Fact.known(down),
            Fact.known(missing),
            regions);
    return Picture.of(IntStream.range(0, size).mapToObj(World::seat).toList(), report, limit);
  }

  private Store store(int i) {
    return new Store(
        idOf(i),
        "tikv-" + i + ".tikv.default.svc:20160",
        states.getOrDefault(i, "Up"),
        "7.5.0",
        "17948" + starts.getOrDefault(i, 0),
        leaders.getOrDefault(i, 4L),
        false);
  }

  private static Seat seat(int i) {
    return new Seat(
        "tikv-" + i, "tikv-" + i, URI.create("http://tikv-" + i + ".tikv.default.svc:2379"));
  }

  Component component() {
    return new Component(
        new Spec.ComponentSpec(
            "tikv",
            "tikv",
            Optional.empty(),
            Map.of(),
            "tikv",
            "{pod}",
            new Spec.Rollout(
                Optional.empty(),
                Duration.ZERO,
                Duration.ofMinutes(10),
                Duration.ofMinutes(30),
                maxUnavailable,
                0,
                allowDowntime),
            List.of()),
        Fact.known(workload()),
        podsReadable
            ? Fact.known(IntStream.range(0, size).mapToObj(this::pod).toList())
            : Fact.unknown("late"),
        topology(),
        Fact.known(List.of()),
        Fact.known(Component.Guarding.POLICY),
        Fact.known(Optional.empty()),
        List.of());
  }

  private Pod pod(int i) {
    int life = lives.getOrDefault(i, 0);
    return new Pod(
        "tikv-" + i,
        "uid-" + i + "-" + life,
        "1",
        i,
        life > 0 ? "new" : "old",
        unready.contains(i) ? Pod.Readiness.UNREADY : Pod.Readiness.AVAILABLE,
        terminating.contains(i),
        Optional.empty(),
        Instant.EPOCH,
        Map.of("tikv", "tikv:7.5.0"),
        List.of("tikv-" + i),
        Fact.known(Optional.empty()),
        false);
  }

  private Workload workload() {
    return Scene.set("tikv", size, "tikv", "tikv:8.1.0");
  }

  Snapshot snapshot() {
    var scene = new Scene(component(), notes, step, blocked, deleting);
    return sentBack ? scene.sentBack(now, "8.1.0") : scene.at(now, "8.1.0", now);
  }
}
