package dev.belay.core.report;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Report.Condition;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.UpgradeRules;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.Snapshot;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The conditions of the status contract. */
record Conditions(Snapshot snapshot, Decision decision, Phase phase, Memory memory) {

  List<Condition> list() {
    boolean rolling = Among.any(memory.components().values(), c -> c.target().isPresent());
    boolean back = rolling && withdrawing();
    boolean failed = phase == Phase.FAILED;
    boolean held = phase == Phase.HELD;
    boolean moving = phase != Phase.IDLE && phase != Phase.PAUSED && !failed && !held;
    return List.of(
        ready(),
        condition(
            "Upgrading",
            rolling && (back || !failed),
            back ? "RollingBack" : rolling ? "RollingOut" : "NothingToDo"),
        error(failed, back),
        condition("Reconciling", moving, phase.toString()),
        condition("Stalled", held || failed, held || failed ? ruleName() : "NotStalled"),
        podsReady(),
        guarded(),
        condition("Paused", snapshot.spec().paused(), paused()),
        forced());
  }

  private boolean withdrawing() {
    return Among.any(
        memory.components().values(), c -> c.refused().filter(Refused::withdrawing).isPresent());
  }

  /** In the order of the components. */
  private Stream<Refused> refusals() {
    return snapshot.components().stream()
        .flatMap(c -> memory.component(c.name()).refused().stream());
  }

  /** A failure stays one while its revision is withdrawn. */
  private Condition error(boolean failed, boolean back) {
    boolean told = failed && first().isPresent();
    Optional<Refused> cause =
        refusals().filter(r -> (failed || back) && r.cause() == Cause.FAILED).findFirst();
    if (!told && cause.isPresent()) {
      return new Condition(
          "Error", "True", "UpgradeFailed", cause.get().object() + ": " + cause.get().reason());
    }
    return condition("Error", failed, failed ? errorReason(back) : "NoError");
  }

  private String paused() {
    return snapshot.spec().paused() ? "PausedInSpec" : "NotPaused";
  }

  private Condition forced() {
    boolean asked = snapshot.spec().force().asked();
    boolean spent = memory.forced().filter(f -> !f.active()).isPresent();
    if (!asked) {
      return new Condition("Forced", "False", "NotAsked", "");
    }
    String by = snapshot.spec().force().by();
    String who = by.isEmpty() ? "" : " by " + by;
    if (spent) {
      return new Condition(
          "Forced",
          "False",
          "Spent",
          "the annotation had its one roll-out; remove it before asking again");
    }
    return memory.forced().isPresent()
        ? new Condition("Forced", "True", "Forced", "every member is let through, asked for" + who)
        : new Condition("Forced", "True", "Asked", "the next roll-out has no gates" + who);
  }

  private Condition condition(String type, boolean holds, String reason) {
    return new Condition(type, holds ? "True" : "False", reason, message(holds));
  }

  private String message(boolean holds) {
    return holds ? first().map(o -> o.object() + ": " + o.sentence()).orElse("") : "";
  }

  private Optional<Objection> first() {
    return Among.first(
        decision.objections(),
        o -> phase != Phase.FAILED || o.weight().compareTo(Weight.INVALID) >= 0);
  }

  private String ruleName() {
    return first().map(Objection::reason).orElse(UpgradeRules.REVISION_IS_NOT_REFUSED).name();
  }

  private String errorReason(boolean back) {
    boolean failure = Among.any(decision.objections(), o -> o.weight() == Weight.FAILURE);
    if (!failure) {
      return "InvalidSpec";
    }
    boolean migration = first().filter(o -> o.is(Reasons.MIGRATIONS_SUCCEED)).isPresent();
    return migration ? "MigrationFailed" : back ? "RollbackFailed" : "UpgradeFailed";
  }

  /** Ready means that every group serves; where it cannot be seen, it is not claimed. */
  private Condition ready() {
    for (Component component : snapshot.components()) {
      switch (component.topology()) {
        case Fact.Unknown<Topology>(String why) -> {
          return new Condition("Ready", "Unknown", "NotReadable", why);
        }
        case Fact.Known<Topology>(Topology topology) -> {
          if (topology.memberless() && !allPodsReady(component) && !enoughPodsReady(component)) {
            return new Condition("Ready", "False", "PodsNotReady", unreadyPods(component));
          }
          for (Group group : topology.groups()) {
            Optional<String> down = belowMinimum(topology, group);
            if (down.isPresent()) {
              return new Condition("Ready", "False", "GroupBelowMinimum", down.get());
            }
          }
        }
      }
    }
    return new Condition("Ready", "True", "EveryGroupServes", "");
  }

  private static Optional<String> belowMinimum(Topology topology, Group group) {
    int healthy = Among.count(topology.membersOf(group), Member::healthy);
    return healthy >= group.required()
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "%d of %d %s healthy, %d needed",
                healthy,
                group.memberIds().size(),
                group.name(),
                group.required()));
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
    boolean asMany = component.podList().size() == wanted || enoughPodsReady(component);
    return asMany && Among.all(component.podList(), Pod::ready);
  }

  /** A Deployment that rolls has some pods more than it needs, and those may be starting. */
  private static boolean enoughPodsReady(Component component) {
    return component
        .workload()
        .asOptional()
        .filter(w -> w.kind() == Workload.Kind.DEPLOYMENT)
        .filter(w -> Among.count(component.podList(), Pod::ready) >= w.replicas())
        .isPresent();
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
        return parked(component);
      }
    }
    boolean byHand =
        Among.all(snapshot.components(), c -> c.guard().is(Component.Guarding.ON_DELETE));
    return byHand
        ? new Condition("Guarded", "True", "OnDelete", "nobody but who deletes a pod replaces it")
        : new Condition("Guarded", "True", "Policy", "admission policies freeze a template change");
  }

  /** While members are released, only those below the partition are frozen by it. */
  private static Condition parked(Component component) {
    int partition = component.workload().asOptional().map(Workload::partition).orElse(0);
    if (partition == Workload.FROZEN) {
      return new Condition("Guarded", "True", "Parked", "the partition rests at frozen");
    }
    return partition == 0
        ? new Condition("Guarded", "False", "NoPolicy", "no policy freezes a template change")
        : new Condition(
            "Guarded",
            "False",
            "Midway",
            "until the roll-out is over, a template change reaches the members it has released");
  }
}
