package dev.belay.core.report;

import dev.belay.core.plan.Decision;
import dev.belay.core.plan.Objection;
import dev.belay.core.plan.Objection.Weight;
import dev.belay.core.report.Report.Condition;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Group;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Topology;
import dev.belay.core.snapshot.Workload;
import java.util.List;
import java.util.Optional;

/** The conditions of the status contract. */
record Conditions(Snapshot snapshot, Decision decision, Phase phase, Memory memory) {

  List<Condition> list() {
    boolean rolling = memory.components().values().stream().anyMatch(c -> c.target().isPresent());
    boolean failed = phase == Phase.FAILED;
    boolean held = phase == Phase.HELD;
    boolean moving = phase != Phase.IDLE && !failed && !held;
    return List.of(
        ready(),
        condition("Upgrading", rolling && !failed, rolling ? "RollingOut" : "NothingToDo"),
        condition("Error", failed, failed ? errorReason() : "NoError"),
        condition("Reconciling", moving, phase.toString()),
        condition("Stalled", held || failed, held || failed ? ruleName() : "NotStalled"),
        podsReady(),
        guarded());
  }

  private Condition condition(String type, boolean holds, String reason) {
    return new Condition(type, holds ? "True" : "False", reason, message(holds));
  }

  private String message(boolean holds) {
    return holds ? first().map(o -> o.object() + ": " + o.sentence()).orElse("") : "";
  }

  private Optional<Objection> first() {
    return decision.objections().stream()
        .filter(o -> phase != Phase.FAILED || o.weight().compareTo(Weight.INVALID) >= 0)
        .findFirst();
  }

  private String ruleName() {
    return first().map(Objection::rule).orElse("Unknown");
  }

  private String errorReason() {
    return decision.objections().stream().anyMatch(o -> o.weight() == Weight.FAILURE)
        ? "UpgradeFailed"
        : "InvalidSpec";
  }

  /** Ready means that every group serves; where it cannot be seen, it is not claimed. */
  private Condition ready() {
    for (Component component : snapshot.components()) {
      switch (component.topology()) {
        case Fact.Unknown<Topology>(String why) -> {
          return new Condition("Ready", "Unknown", "NotReadable", why);
        }
        case Fact.Known<Topology>(Topology topology) -> {
          if (topology.memberless() && !allPodsReady(component)) {
            return new Condition("Ready", "False", "PodsNotReady", unreadyPods(component));
          }
          Optional<String> down =
              topology.groups().stream()
                  .flatMap(g -> belowMinimum(topology, g).stream())
                  .findFirst();
          if (down.isPresent()) {
            return new Condition("Ready", "False", "GroupBelowMinimum", down.get());
          }
        }
      }
    }
    return new Condition("Ready", "True", "EveryGroupServes", "");
  }

  private static Optional<String> belowMinimum(Topology topology, Group group) {
    long healthy =
        group.memberIds().stream()
            .flatMap(id -> topology.member(id).stream())
            .filter(Member::healthy)
            .count();
    return healthy >= group.required()
        ? Optional.empty()
        : Optional.of(
            "%d of %d %s healthy, %d needed"
                .formatted(healthy, group.memberIds().size(), group.name(), group.required()));
  }

  private Condition podsReady() {
    for (Component component : snapshot.components()) {
      if (!allPodsReady(component)) {
        return new Condition("PodsReady", "False", "PodsNotReady", unreadyPods(component));
      }
    }
    return new Condition("PodsReady", "True", "AllPodsReady", "");
  }

  private static boolean allPodsReady(Component component) {
    int wanted = component.workload().asOptional().map(Workload::replicas).orElse(-1);
    return component.podList().size() == wanted
        && component.podList().stream().allMatch(Pod::ready);
  }

  private static String unreadyPods(Component component) {
    List<String> unready =
        component.podList().stream().filter(p -> !p.ready()).map(Pod::name).toList();
    return unready.isEmpty()
        ? component.podList().size() + " pods exist"
        : String.join(", ", unready) + " not ready";
  }

  private Condition guarded() {
    for (Component component : snapshot.components()) {
      if (component.guard() instanceof Fact.Unknown<Component.Guarding>(String why)) {
        return new Condition("Guarded", "Unknown", "NotReadable", why);
      }
      if (component.guard().is(Component.Guarding.PARKED)) {
        boolean parked =
            component.workload().asOptional().filter(w -> w.partition() > 0).isPresent();
        return parked
            ? new Condition("Guarded", "True", "Parked", "the partition rests at frozen")
            : new Condition("Guarded", "False", "NoPolicy", "no policy freezes a template change");
      }
    }
    return new Condition(
        "Guarded", "True", "Policy", "admission policies freeze a template change");
  }
}
