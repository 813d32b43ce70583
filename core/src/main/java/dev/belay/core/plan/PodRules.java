package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.FAILURE;
import static dev.belay.core.plan.Objection.Weight.HUMAN;
import static dev.belay.core.plan.Objection.Weight.PROGRESS;
import static dev.belay.core.plan.Objection.Weight.WAIT;

import dev.belay.core.snapshot.Budget;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Memory.Target;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What Kubernetes has to say about taking a pod down. */
final class PodRules {

  private PodRules() {}

  static Optional<Objection> everyPodExists(Snapshot snapshot, Component component, Pod target) {
    Optional<Pod> cure =
        Optional.of(target).filter(t -> t.stuck() || GroupRules.hangs(snapshot, component, t));
    return component
        .workload()
        .asOptional()
        .flatMap(w ->
            w.kind() == Workload.Kind.DEPLOYMENT
                ? atLeastAsManyAsWanted(component, w)
                : complete(component, w, cure, slack(component)))
        .map(o -> new Objection("", target.name(), o.reading(), o.cure(), o.weight()));
  }

  /** How many members may be down for the upgrade beside the one in question. */
  static int slack(Component component) {
    return component.spec().rollout().maxUnavailable() - 1;
  }

  /** What keeps the set from having exactly its pods: none missing, none extra, none going. */
  static Optional<Objection> complete(
      Component component, Workload workload, Optional<Pod> target) {
    return complete(component, workload, target, 0);
  }

  private static Optional<Objection> complete(
      Component component, Workload workload, Optional<Pod> target, int slack) {
    return workload.kind() == Workload.Kind.DEPLOYMENT
        ? asManyAsWanted(component, workload)
        : exactly(component, workload, target, slack);
  }

  private static Optional<Objection> asManyAsWanted(Component component, Workload workload) {
    List<Pod> staying = component.podList().stream().filter(p -> !p.terminating()).toList();
    return staying.size() == workload.replicas()
        ? Optional.empty()
        : waiting(workload, staying.size() + " of " + workload.replicas() + " pods exist");
  }

  /** Those that a Deployment has beyond its replicas while it rolls are in nobody's way. */
  private static Optional<Objection> atLeastAsManyAsWanted(Component component, Workload workload) {
    return asManyAsWanted(component, workload)
        .filter(_ ->
            component.podList().stream().filter(p -> !p.terminating()).count()
                < workload.replicas());
  }

  private static Optional<Objection> exactly(
      Component component, Workload workload, Optional<Pod> target, int slack) {
    List<Pod> pods = component.podList();
    var away = new ArrayList<String>();
    for (Pod pod : pods) {
      if (!workload.contains(pod.ordinal()) && !blockedBy(target, pod.ordinal(), workload)) {
        return waiting(workload, pod.name() + " is being scaled away");
      }
    }
    for (int i = 0; i < workload.replicas(); i++) {
      int ordinal = workload.firstOrdinal() + i;
      boolean exists = pods.stream().anyMatch(p -> p.ordinal() == ordinal);
      if (!exists && !blockedBy(target, ordinal, workload)) {
        away.add(workload.name() + "-" + ordinal + " does not exist");
      }
    }
    pods.stream()
        .filter(Pod::terminating)
        .map(p -> p.name() + " is terminating")
        .forEach(away::add);
    return away.size() <= slack ? Optional.empty() : waiting(workload, away.getFirst());
  }

  /**
   * OrderedReady neither creates nor scales away a higher pod while a lower one is not ready: that
   * one is the cure.
   */
  private static boolean blockedBy(Optional<Pod> target, int higher, Workload workload) {
    return workload.order() == Workload.Order.ORDERED_READY
        && target.filter(t -> !t.ready() && t.ordinal() < higher).isPresent();
  }

  private static Optional<Objection> waiting(Workload workload, String reading) {
    return Optional.of(
        new Objection(
            "", workload.name(), reading, "wait until the set has exactly its replicas", PROGRESS));
  }

  static Optional<Objection> updatedMembersServe(
      Snapshot snapshot, Component component, Pod target) {
    // Where the target is the cure, others may be unwell for want of it; a broken one still counts,
    // and so does one that has just begun, if that may be what the target is waiting for.
    boolean repair = GroupRules.repairs(snapshot, component, target);
    boolean mayRecover = GroupRules.onlyHangs(snapshot, component, target);
    Instant begun = snapshot.at().minus(component.spec().rollout().readyTimeout());
    // Of several that are to be tried again, none speaks against another: else none ever would.
    var course = new Course(snapshot, component);
    boolean again = course.isTriedAgain(target);
    List<Objection> found =
        course.arrived().stream()
            .filter(p -> !p.uid().equals(target.uid()))
            .filter(p -> !repair || p.stuck() || (mayRecover && p.created().isAfter(begun)))
            .filter(p -> !again || !course.isTriedAgain(p))
            .flatMap(p -> serving(snapshot, component, p).stream())
            .toList();
    // Of a batch, one that is only starting must not hide one that has failed.
    return found.stream()
        .filter(o -> o.weight() == FAILURE)
        .findFirst()
        .or(() -> found.stream().filter(_ -> found.size() > slack(component)).findFirst());
  }

  /** Before a controller is let loose on the rest, none of those that went ahead has failed. */
  static Optional<Objection> noneHasFailed(Snapshot snapshot, Component component) {
    var course = new Course(snapshot, component);
    return course.arrived().stream()
        .filter(p -> !course.isTriedAgain(p))
        .flatMap(p -> serving(snapshot, component, p).stream())
        .filter(o -> o.weight() == FAILURE)
        .findFirst();
  }

  /** What keeps an updated pod from counting as done; the finish of a roll-out asks this too. */
  static Optional<Objection> serving(Snapshot snapshot, Component component, Pod pod) {
    // One that is going says nothing about its revision any more: its successor will.
    if (pod.terminating()) {
      return Optional.of(
          new Objection("", pod.name(), "is terminating", "wait for its successor", PROGRESS));
    }
    if (pod.trouble().isPresent()) {
      Pod.Trouble trouble = pod.trouble().get();
      return failed(snapshot, component, pod, trouble.reason() + ": " + trouble.message());
    }
    ComponentMemory memory = snapshot.memory().component(component.name());
    String state = pod.ready() ? GroupRules.memberTrouble(component, pod) : "is not ready";
    if (!state.isEmpty()) {
      Duration limit = component.spec().rollout().readyTimeout();
      boolean late = begun(memory, pod).plus(limit).isBefore(snapshot.at());
      // One that has served before is not broken by its revision: it is waited for.
      if (late && !memory.served().contains(pod.uid())) {
        String reason = pod.ready() ? "MemberUnhealthy: " : "ReadyTimeout: ";
        return failed(snapshot, component, pod, reason + state + " within " + words(limit));
      }
      return Optional.of(
          new Objection("", pod.name(), state, "wait for it", late ? WAIT : PROGRESS));
    }
    Duration soak = component.spec().rollout().soak();
    Instant since = memory.servingSince().get(pod.uid());
    boolean soaked =
        soak.isZero()
            || untouched(memory, pod)
            || (since != null && !since.plus(soak).isAfter(snapshot.at()));
    return soaked
        ? Optional.empty()
        : Optional.of(
            new Objection(
                "", pod.name(), "is in its soak of " + words(soak), "wait for it", PROGRESS));
  }

  /** When the time began that a pod may take: with its making, or with another try of it. */
  private static Instant begun(ComponentMemory memory, Pod pod) {
    return memory
        .target()
        .filter(t -> t.before().contains(pod.uid()) && t.tried().isAfter(pod.created()))
        .map(Target::tried)
        .orElse(pod.created());
  }

  /** Made well before this roll-out, it has nothing to prove; clocks may differ by a minute. */
  static boolean untouched(ComponentMemory memory, Pod pod) {
    return memory
        .target()
        .filter(t -> pod.created().plusSeconds(60).isBefore(t.since()))
        .filter(_ -> memory.lastGood().filter(g -> g.revision().equals(pod.revision())).isPresent())
        .isPresent();
  }

  private static Optional<Objection> failed(
      Snapshot snapshot, Component component, Pod pod, String reading) {
    String cure =
        new Course(snapshot, component).withdrawing()
            ? "repair it, or try once more with belay rollback, or stop the way back with belay"
                + " abort"
            : "correct or revert the template";
    return Optional.of(new Objection("", pod.name(), reading, cure, FAILURE));
  }

  static Optional<Objection> oneAtATime(Snapshot snapshot, Component component, Pod target) {
    Optional<Objection> unseen = unseenElsewhere(snapshot, component, target.name());
    if (unseen.isPresent()) {
      return unseen;
    }
    List<Down> here =
        here(snapshot, component).filter(d -> !d.pod().equals(target.name())).toList();
    List<String> down =
        Stream.concat(here.stream().map(Down::words), elsewhere(snapshot, component)).toList();
    int allowed = component.spec().rollout().tolerateUnhealthy() + slack(component);
    // What is tolerated in others is no room for more of the upgrade's own.
    boolean several = slack(component) > 0;
    boolean batchIsFull =
        several && here.stream().filter(Down::forTheUpgrade).count() > slack(component);
    if ((down.size() <= allowed && !batchIsFull)
        || GroupRules.repairs(snapshot, component, target)
        || GroupRules.nothingToLose(snapshot, component, target)) {
      return Optional.empty();
    }
    String names = String.join(", ", down);
    return Optional.of(
        new Objection(
            "", target.name(), "not available: " + names, "wait for the named pods", WAIT));
  }

  /**
   * Somebody who is down, and in which way.
   *
   * @param forTheUpgrade going, missing, or new and not proven: not merely unwell
   */
  private record Down(String pod, String words, boolean forTheUpgrade) {}

  /**
   * Who is down in a component. Where several may be down at once, each way of being down counts
   * for one and the same allowance: missing, going, not ready, unhealthy, or back and not proven.
   */
  private static Stream<Down> here(Snapshot snapshot, Component component) {
    boolean several = slack(component) > 0;
    Course course = new Course(snapshot, component);
    Stream<Down> pods =
        component.podList().stream()
            .filter(p -> several ? !isBack(snapshot, component, p) : !p.available())
            .map(p -> new Down(p.name(), down(p), p.terminating() || course.arrived().contains(p)));
    return several ? Stream.concat(pods, missing(component)) : pods;
  }

  /** Available and healthy, and proven if it is an updated one. */
  static boolean isBack(Snapshot snapshot, Component component, Pod pod) {
    return pod.available()
        && !pod.terminating()
        && GroupRules.memberTrouble(component, pod).isEmpty()
        && (!new Course(snapshot, component).arrived().contains(pod)
            || serving(snapshot, component, pod).isEmpty());
  }

  private static Stream<Down> missing(Component component) {
    return component.workload().asOptional().stream()
        .filter(w -> w.kind() == Workload.Kind.STATEFUL_SET)
        .flatMap(w ->
            IntStream.range(0, w.replicas())
                .mapToObj(i -> w.name() + "-" + (w.firstOrdinal() + i))
                .filter(name -> component.podList().stream().noneMatch(p -> p.name().equals(name))))
        .map(name -> new Down(name, name + " (missing)", true));
  }

  static String down(Pod pod) {
    if (pod.terminating()) {
      return pod.name() + " (terminating)";
    }
    if (!pod.ready()) {
      return pod.name() + " (not ready)";
    }
    return pod.name() + (pod.available() ? " (not proven)" : " (ready, not yet available)");
  }

  /** Who is down in the other components: one member at a time means over the whole cluster. */
  static Stream<String> elsewhere(Snapshot snapshot, Component component) {
    return snapshot.components().stream()
        .filter(c -> !c.name().equals(component.name()))
        .flatMap(PodRules::downIn);
  }

  /** What cannot be seen is no permission, however many may be missing. */
  static Optional<Objection> unseenElsewhere(
      Snapshot snapshot, Component component, String object) {
    return snapshot.components().stream()
        .filter(c -> !c.name().equals(component.name()))
        .flatMap(c ->
            c.pods() instanceof Fact.Unknown<List<Pod>> unknown
                ? Stream.of(Objection.unseen("", object, unknown))
                : Stream.empty())
        .findFirst();
  }

  private static Stream<String> downIn(Component other) {
    int wanted = other.workload().asOptional().map(Workload::replicas).orElse(0);
    List<Pod> there = other.podList().stream().filter(p -> !p.terminating()).toList();
    return Stream.concat(
        IntStream.range(there.size(), wanted)
            .mapToObj(_ -> "one of " + other.name() + " (missing)"),
        there.stream().filter(p -> !p.available()).map(PodRules::down));
  }

  static Optional<Objection> takenBackFirst(Snapshot snapshot, Component component, Pod target) {
    return Obligations.otherThan(snapshot, component, target)
        .map(o ->
            new Objection(
                "",
                target.name(),
                o.object() + ": " + o.undo() + " is still due",
                "wait for it",
                PROGRESS));
  }

  static Optional<Objection> nobodyElseIsLeaving(
      Snapshot snapshot, Component component, Pod target) {
    // One that is down on what never was good is nobody's reserve: to heal it takes nothing away.
    if (GroupRules.repairs(snapshot, component, target)
        || GroupRules.nothingToLose(snapshot, component, target)) {
      return Optional.empty();
    }
    for (Pod pod : component.podList()) {
      if (pod.uid().equals(target.uid())) {
        continue;
      }
      switch (pod.leaving()) {
        case Fact.Unknown<Optional<String>> unknown -> {
          return Optional.of(Objection.unseen("", target.name(), unknown));
        }
        case Fact.Known<Optional<String>>(Optional<String> why) when why.isPresent() -> {
          return Optional.of(
              new Objection(
                  "",
                  target.name(),
                  pod.name() + ": " + why.get(),
                  "finish the maintenance of that node",
                  WAIT));
        }
        case Fact.Known<Optional<String>> stays -> {}
      }
    }
    return Optional.empty();
  }

  static Optional<Objection> disruptionBudgetAllows(
      Snapshot snapshot, Component component, Pod target) {
    if (!target.ready()) {
      return Optional.empty();
    }
    return switch (component.budgets()) {
      case Fact.Unknown<List<Budget>> unknown ->
          Optional.of(Objection.unseen("", target.name(), unknown));
      case Fact.Known<List<Budget>>(List<Budget> budgets) ->
          budgets.stream()
              .filter(b -> b.pods().contains(target.name()) && b.disruptionsAllowed() < 1)
              .findFirst()
              .map(b ->
                  new Objection(
                      "",
                      target.name(),
                      "PodDisruptionBudget " + b.name() + " allows 0 disruptions",
                      "wait for the budget, or relax it",
                      WAIT));
    };
  }

  static Optional<Objection> podIsNotHeld(Snapshot snapshot, Component component, Pod target) {
    return target.held()
        ? Optional.of(
            new Objection(
                "",
                target.name(),
                "it has the annotation belay.dev/hold",
                "kubectl annotate pod " + target.name() + " belay.dev/hold-",
                HUMAN))
        : Optional.empty();
  }

  /** A duration as a person writes it. */
  static String words(Duration duration) {
    return duration.toString().substring(2).toLowerCase(Locale.ROOT);
  }
}
