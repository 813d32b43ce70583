package dev.belay.drivers.mysql;

import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Command;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.drivers.contract.Scene;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A component in a roll-out as the policy sees it, and what Belay would remember of it. */
final class World {

  private static final Fence.ObjectVersion FENCE = Scene.fence("mysql");

  private final Set<Integer> updated = new HashSet<>();
  private Fact<Topology> topology = Fact.unknown("nobody has looked");
  private Optional<RecordedStep> step = Optional.empty();
  List<Note> notes = List.of();
  private Instant now = Instant.parse("2026-11-16T08:00:00Z");
  private Instant tried = now;
  private int size = 3;
  private String image = "mariadb:11.4";

  World updated(Integer... members) {
    updated.addAll(List.of(members));
    return this;
  }

  World later(Duration time) {
    now = now.plus(time);
    return this;
  }

  /** A person asks for another try. */
  World retry() {
    tried = now;
    return this;
  }

  World image(String other) {
    image = other;
    return this;
  }

  World size(int other) {
    size = other;
    return this;
  }

  WayBack wayBack() {
    return MysqlPolicy.INSTANCE.wayBack(component(), notes);
  }

  /** What is seen; what is worth remembering is remembered with what is decided on it. */
  World see(Fact<Topology> seen) {
    topology = seen;
    return this;
  }

  World see(Topology seen) {
    return see(Fact.known(seen));
  }

  Topology topology() {
    return topology.asOptional().orElseThrow();
  }

  Optional<Command> tend() {
    return MysqlPolicy.INSTANCE.tend(snapshot(), component(), Optional.empty());
  }

  Optional<Command> handOver(String from, String to) {
    return MysqlPolicy.INSTANCE.handOver(snapshot(), component(), member(from), member(to));
  }

  /** The look ends: notes and the step go to the record in one write. */
  World record(Optional<Command> command) {
    List<Note> next = MysqlPolicy.INSTANCE.remember(snapshot(), component());
    command.ifPresent(c -> step = Optional.of(Scene.recorded("mysql", c, now, 1)));
    notes = next;
    return this;
  }

  /** Another step takes the place of the recorded one. */
  World otherStep() {
    step = Optional.of(Scene.released("mysql", now));
    return this;
  }

  List<String> owes() {
    return MysqlPolicy.INSTANCE.owes(component(), notes);
  }

  List<Objection> toRelease(int member) {
    Component component = component();
    var release = new Step.Release("mysql", FENCE, member, "mysql-" + member);
    return MysqlPolicy.INSTANCE.rules().stream()
        .flatMap(rule -> rule.objection(snapshot(), component, release).stream())
        .toList();
  }

  List<String> successors() {
    return topology().members().stream()
        .sorted(MysqlPolicy.INSTANCE.successors(component()))
        .map(Member::name)
        .toList();
  }

  Member member(String name) {
    return topology().members().stream()
        .filter(m -> m.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  Pod podOf(int i) {
    return component().podList().get(i);
  }

  Component component() {
    var pods = new ArrayList<Pod>();
    for (int i = 0; i < size; i++) {
      pods.add(pod(i));
    }
    return new Component(
        new Spec.ComponentSpec(
            "mysql",
            "mysql",
            Optional.empty(),
            Map.of(),
            "mysql",
            "{pod}",
            Spec.Rollout.DEFAULT,
            List.of()),
        Fact.known(workload()),
        Fact.known(pods),
        topology,
        Fact.known(List.of()),
        Fact.known(Component.Guarding.POLICY),
        Fact.known(Optional.empty()),
        List.of());
  }

  private Pod pod(int i) {
    return new Pod(
        "mysql-" + i,
        "uid-" + i,
        "1",
        i,
        updated.contains(i) ? "new" : "old",
        Pod.Readiness.AVAILABLE,
        false,
        Optional.empty(),
        Instant.EPOCH,
        Map.of("mariadb", updated.contains(i) ? image : "mariadb:10.11"),
        List.of("mysql-" + i),
        Fact.known(Optional.empty()),
        false);
  }

  private Workload workload() {
    return Scene.set("mysql", size, "mariadb", image);
  }

  Snapshot snapshot() {
    return new Scene(component(), notes, step, Optional.empty(), false).at(now, "11.4", tried);
  }
}
