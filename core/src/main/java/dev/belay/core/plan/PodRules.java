package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.FAILURE;
import static dev.belay.core.plan.Objection.Weight.HUMAN;
import static dev.belay.core.plan.Objection.Weight.PROGRESS;
import static dev.belay.core.plan.Objection.Weight.WAIT;

import dev.belay.core.snapshot.Among;
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
                ? asManyAsWanted(component, w, true)
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
        ? asManyAsWanted(component, workload, false)
        : exactly(component, workload, target, slack);
  }

  /** Those that a Deployment has beyond its replicas while it rolls are in nobody's way. */
  private static Optional<Objection> asManyAsWanted(
      Component component, Workload workload, boolean orMore) {
    int wanted = workload.replicas();
    int staying = Among.count(component.podList(), p -> !p.terminating());
    return staying == wanted || (orMore && staying > wanted)
        ? Optional.empty()
        : waiting(workload, staying + " of " + wanted + " pods exist");
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
      boolean exists = Among.any(pods, p -> p.ordinal() == ordinal);
      if (!exists && !blockedBy(target, ordinal, workload)) {
        away.add(workload.name() + "-" + ordinal + " does not exist");
      }
    }
    for (Pod pod : pods) {
      if (pod.terminating()) {
        away.add(pod.name() + " is terminating");
      }
    }
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
    // Going back, who is where it always was proves nothing, and may be unwell for want of this
    // one.
    boolean lost = course.sentBack() && GroupRules.nothingToLose(snapshot, component, target);
    var found = new ArrayList<Objection>();
    for (Pod pod : course.arrived()) {
      boolean counts =
          !pod.uid().equals(target.uid())
              && (!repair || pod.stuck() || (mayRecover && pod.created().isAfter(begun)))
              && (!again || !course.isTriedAgain(pod))
              && (!lost || pod.stuck() || GroupRules.neverGood(snapshot, component, pod));
      if (counts) {
        serving(snapshot, component, pod).ifPresent(found::add);
      }
    }
    // Of a batch, one that is only starting must not hide one that has failed.
    return Among.first(found, o -> o.weight() == FAILURE)
        .or(() -> Among.first(found, _ -> found.size() > slack(component)));
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

  /** The first of those that went ahead and are stuck, unless it is to be made anew. */
  static Optional<Objection> stuck(Snapshot snapshot, Component component) {
    var course = new Course(snapshot, component);
    return course.arrived().stream()
        .filter(p -> p.stuck() && !p.terminating() && !course.isTriedAgain(p))
        .flatMap(p -> serving(snapshot, component, p).stream())
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
    List<Down> here = Among.those(here(snapshot, component), d -> !d.pod().equals(target.name()));
    var down = new ArrayList<String>();
    here.forEach(d -> down.add(d.words()));
    elsewhere(snapshot, component).forEach(down::add);
    int allowed = component.spec().rollout().tolerateUnhealthy() + slack(component);
    // What is tolerated in others is no room for more of the upgrade's own.
    boolean batchIsFull = Among.count(here, Down::forTheUpgrade) > slack(component);
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
  private static List<Down> here(Snapshot snapshot, Component component) {
    boolean several = slack(component) > 0;
    var down = new ArrayList<Down>();
    for (Pod p : component.podList()) {
      if (several ? !isBack(snapshot, component, p) : !p.available()) {
        boolean updated = new Course(snapshot, component).arrived().contains(p);
        down.add(new Down(p.name(), down(p), p.terminating() || updated));
      }
    }
    if (several) {
      missing(component).forEach(down::add);
    }
    return down;
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
        .flatMap(w ->
            IntStream.range(0, w.replicas())
                .mapToObj(i -> w.name() + "-" + (w.firstOrdinal() + i))
                .filter(name -> Among.none(component.podList(), p -> p.name().equals(name))))
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
    for (Component other : snapshot.components()) {
      if (!other.name().equals(component.name())
          && other.pods() instanceof Fact.Unknown<List<Pod>> unknown) {
        return Optional.of(Objection.unseen("", object, unknown));
      }
    }
    return Optional.empty();
  }

  private static Stream<String> downIn(Component other) {
    int wanted = other.workload().asOptional().map(Workload::replicas).orElse(0);
    List<Pod> there = Among.those(other.podList(), p -> !p.terminating());
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

  static Optional<Objection> disruptionBudgetAllows(
      Snapshot snapshot, Component component, Pod target) {
    if (!target.ready()) {
      return Optional.empty();
    }
    return switch (component.budgets()) {
      case Fact.Unknown<List<Budget>> unknown ->
          Optional.of(Objection.unseen("", target.name(), unknown));
      case Fact.Known<List<Budget>>(List<Budget> budgets) ->
          Among.first(budgets, b -> b.pods().contains(target.name()) && b.disruptionsAllowed() < 1)
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
