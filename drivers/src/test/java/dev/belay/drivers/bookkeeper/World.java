package dev.belay.drivers.bookkeeper;

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
import dev.belay.drivers.bookkeeper.Answers.Cluster;
import dev.belay.drivers.bookkeeper.Answers.State;
import dev.belay.drivers.contract.Scene;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Bookies that do what they are told, in a roll-out, and what Belay would remember of it. */
final class World {

  final Set<Integer> readOnly = new TreeSet<>();
  final Set<Integer> down = new TreeSet<>();
  final Set<Integer> missing = new TreeSet<>();
  final Map<Integer, Integer> lives = new HashMap<>();
  List<String> underReplicated = List.of();
  boolean recovering = true;
  boolean podsReadable = true;
  Fact<Long> delay = Fact.known(0L);
  Optional<String> auditor = Optional.of("autorecovery-0:3181");
  int ensembleSize = 3;
  int size = 4;
  int maxUnavailable = 1;
  boolean sentBack;
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

  /** One look that ends with this command on record; it is not carried out yet. */
  World record(Command command) {
    return record(command, 1);
  }

  World record(Command command, int attempts) {
    List<Note> next = BookkeeperPolicy.INSTANCE.remember(snapshot(), component());
    step = Optional.of(Scene.recorded("bookie", command, now, attempts));
    notes = next;
    return this;
  }

  /** Another look, with nothing to do or with another step. */
  World look() {
    notes = BookkeeperPolicy.INSTANCE.remember(snapshot(), component());
    step = Optional.of(Scene.released("bookie", now));
    return later(Duration.ofSeconds(1));
  }

  private static final Fence.ObjectVersion FENCE = Scene.fence("bookie");

  /** The cluster does what it is told. */
  World obey(Command command) {
    String value = command.arguments().get("to");
    switch (command.verb()) {
      case "readOnly" -> {
        int bookie = Integer.parseInt(command.memberId().substring("bookie-".length()));
        if (value.equals("true")) {
          readOnly.add(bookie);
        } else {
          readOnly.remove(bookie);
        }
      }
      case "autorecovery" -> recovering = value.equals("true");
      default -> delay = Fact.known(Long.parseLong(value));
    }
    return later(Duration.ofSeconds(1));
  }

  /** What is wanted before this bookie goes down is recorded, done and noted; in words. */
  List<String> prepareWhole(int bookie) {
    var done = new ArrayList<String>();
    for (var next = prepare(bookie); next.isPresent(); next = prepare(bookie)) {
      done.add(next.get().what());
      record(next.get()).obey(next.get()).look();
    }
    return done;
  }

  /** The same for what is to be taken back. */
  List<String> tendWhole(Optional<Integer> busy) {
    var done = new ArrayList<String>();
    for (var next = tend(busy); next.isPresent(); next = tend(busy)) {
      done.add(next.get().what());
      record(next.get()).obey(next.get()).look();
    }
    return done;
  }

  /** Another pod in its place. A bookie forgets that it was read-only, unless it is told not to. */
  World restart(int bookie) {
    lives.merge(bookie, 1, Integer::sum);
    return this;
  }

  Optional<Command> prepare(int bookie) {
    return BookkeeperPolicy.INSTANCE.prepare(snapshot(), component(), pod(bookie));
  }

  Optional<Command> tend(Optional<Integer> busy) {
    return BookkeeperPolicy.INSTANCE.tend(snapshot(), component(), busy.map(this::pod));
  }

  List<String> owes() {
    return BookkeeperPolicy.INSTANCE.owes(component(), notes);
  }

  List<Objection> toRelease(int bookie) {
    var release = new Step.Release("bookie", FENCE, bookie, "bookie-" + bookie);
    return BookkeeperPolicy.INSTANCE.rules().stream()
        .flatMap(rule -> rule.objection(snapshot(), component(), release).stream())
        .toList();
  }

  /** What the rule for all systems says to taking it down. */
  Optional<Objection> groupObjection(int bookie) {
    var release = new Step.Release("bookie", FENCE, bookie, "bookie-" + bookie);
    return Rules.of(GroupRules.EVERY_GROUP_SURVIVES).objection(snapshot(), component(), release);
  }

  Fact<Topology> topology() {
    List<String> writable = ids(i -> !down.contains(i) && !readOnly.contains(i));
    List<String> rest = ids(i -> !down.contains(i) && readOnly.contains(i));
    var reports = new ArrayList<SeatReport>();
    present().forEach(i -> reports.add(report(i, writable, rest)));
    return Picture.of(reports, Optional.of(ensembleSize));
  }

  private IntStream present() {
    return IntStream.range(0, size).filter(i -> !missing.contains(i));
  }

  private List<String> ids(IntPredicate which) {
    return present().filter(which).mapToObj(i -> "bookie-" + i + ".bookie:3181").toList();
  }

  private SeatReport report(int i, List<String> writable, List<String> rest) {
    var seat =
        new Seat("bookie-" + i, "bookie-" + i, URI.create("http://bookie-" + i + ".bookie:8080"));
    return down.contains(i)
        ? new SeatReport(seat, true, no(), no(), no(), no(), no(), no(), no())
        : new SeatReport(
            seat,
            false,
            Fact.known(new State(true, readOnly.contains(i), false)),
            Fact.known("OK"),
            Fact.known(new Cluster(auditor, recovering)),
            Fact.known(writable),
            Fact.known(rest),
            Fact.known(underReplicated),
            delay);
  }

  private static <T> Fact<T> no() {
    return Fact.unknown("refuses connections");
  }

  Component component() {
    var pods = new ArrayList<Pod>();
    present().forEach(i -> pods.add(pod(i)));
    return new Component(
        new Spec.ComponentSpec(
            "bookie",
            "bookie",
            Optional.empty(),
            Map.of(),
            "bookkeeper",
            "{pod}",
            new Spec.Rollout(
                Optional.empty(),
                Duration.ZERO,
                Duration.ofMinutes(10),
                Duration.ofMinutes(30),
                maxUnavailable,
                0,
                false),
            List.of()),
        Fact.known(workload()),
        podsReadable ? Fact.known(pods) : Fact.unknown("late"),
        topology(),
        Fact.known(List.of()),
        Fact.known(Component.Guarding.POLICY),
        Fact.known(Optional.empty()),
        List.of());
  }

  private Pod pod(int i) {
    int life = lives.getOrDefault(i, 0);
    return new Pod(
        "bookie-" + i,
        "uid-" + i + "-" + life,
        "1",
        i,
        life > 0 ? "new" : "old",
        Pod.Readiness.AVAILABLE,
        false,
        Optional.empty(),
        Instant.EPOCH,
        Map.of("bookie", "bookkeeper:4.17.3"),
        List.of("bookie-" + i),
        Fact.known(Optional.empty()),
        false);
  }

  private Workload workload() {
    return Scene.set("bookie", size, "bookie", "bookkeeper:4.18.0");
  }

  Snapshot snapshot() {
    var scene = new Scene(component(), notes, step, blocked, false);
    return sentBack ? scene.sentBack(now, "4.18.0") : scene.at(now, "4.18.0", now);
  }
}
