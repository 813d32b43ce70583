package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.HUMAN;
import static dev.belay.core.state.Objection.Weight.PROGRESS;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Among;
import dev.belay.core.model.Budget;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What Kubernetes has to say about taking a pod down. */
public final class PodRules {

  public static final Reason EVERY_POD_EXISTS =
      new Reason(
          "EveryPodExists",
          "All pods exist and none is terminating: the gap between delete and re-create never"
              + " releases a second member.",
          "Wait, or find out why the set's controller cannot create the pod.",
          "pravega-operator#477, bookkeeper-operator#82: between a delete and the new pod"
              + " everybody who is left looks well, and several were deleted at once.");

  public static final Reason ONE_AT_A_TIME =
      new Reason(
          "OneAtATime",
          "No other pod is down or not yet available: one member at a time, over the whole cluster."
              + " A release with another pod unready could also stay latent and strike later.",
          "Bring the named pods to Available.",
          "kubeblocks#10641: a window that was to hold one pod covered all of them. Tried"
              + " on Kubernetes 1.36: a partition lowered while another pod is unready strikes"
              + " later, when nobody looks.");

  public static final Reason DISRUPTION_BUDGET_ALLOWS =
      new Reason(
          "DisruptionBudgetAllows",
          "The PodDisruptionBudgets of others are kept, although the set's controller ignores them.",
          "Wait for the budget, or relax it.",
          "Workload controllers delete pods, and only an eviction asks a budget"
              + " (kubernetes#89820); moco#622: a node that failed and an update took two pods"
              + " down despite one.");

  public static final Reason POD_IS_NOT_HELD =
      new Reason(
          "PodIsNotHeld",
          "A pod with the annotation belay.dev/hold is left alone, and with it all lower ordinals.",
          "Remove the annotation from the pod.",
          "A StatefulSet replaces from the highest ordinal down, so that whoever keeps"
              + " one pod keeps all below it.");

  private PodRules() {}

  static Optional<Objection> everyPodExists(Snapshot snapshot, Component component, Pod target) {
    Optional<Pod> cure =
        Optional.of(target).filter(t -> t.stuck() || MemberState.hangs(snapshot, component, t));
    return component
        .workload()
        .asOptional()
        .flatMap(w ->
            w.kind() == Workload.Kind.DEPLOYMENT
                ? asManyAsWanted(component, w, true)
                : exactly(component, w, cure, component.spec().rollout().slack()))
        .map(reading -> incomplete(EVERY_POD_EXISTS, target.name(), reading));
  }

  /** What keeps the set from having exactly its pods: none missing, none extra, none going. */
  public static Optional<Objection> complete(
      Reason reason, Component component, Workload workload, Optional<Pod> target) {
    Optional<String> reading =
        workload.kind() == Workload.Kind.DEPLOYMENT
            ? asManyAsWanted(component, workload, false)
            : exactly(component, workload, target, 0);
    return reading.map(r -> incomplete(reason, workload.name(), r));
  }

  private static Objection incomplete(Reason reason, String object, String reading) {
    return reason.objection(
        object, reading, "wait until the set has exactly its replicas", PROGRESS);
  }

  /** Those that a Deployment has beyond its replicas while it rolls are in nobody's way. */
  private static Optional<String> asManyAsWanted(
      Component component, Workload workload, boolean orMore) {
    int wanted = workload.replicas();
    int staying = Among.count(component.podList(), p -> !p.terminating());
    return staying == wanted || (orMore && staying > wanted)
        ? Optional.empty()
        : Optional.of(staying + " of " + wanted + " pods exist");
  }

  private static Optional<String> exactly(
      Component component, Workload workload, Optional<Pod> target, int slack) {
    List<Pod> pods = component.podList();
    var away = new ArrayList<String>();
    for (Pod pod : pods) {
      if (!workload.contains(pod.ordinal()) && !blockedBy(target, pod.ordinal(), workload)) {
        return Optional.of(pod.name() + " is being scaled away");
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
    return away.size() <= slack ? Optional.empty() : Optional.of(away.getFirst());
  }

  /**
   * OrderedReady neither creates nor scales away a higher pod while a lower one is not ready: that
   * one is the cure.
   */
  private static boolean blockedBy(Optional<Pod> target, int higher, Workload workload) {
    return workload.order() == Workload.Order.ORDERED_READY
        && target.filter(t -> !t.ready() && t.ordinal() < higher).isPresent();
  }

  static Optional<Objection> oneAtATime(Snapshot snapshot, Component component, Pod target) {
    Optional<Objection> unseen = unseenElsewhere(ONE_AT_A_TIME, snapshot, component, target.name());
    if (unseen.isPresent()) {
      return unseen;
    }
    List<Down> here = Among.those(here(snapshot, component), d -> !d.pod().equals(target.name()));
    var down = new ArrayList<String>();
    here.forEach(d -> down.add(d.words()));
    elsewhere(snapshot, component).forEach(down::add);
    int allowed =
        component.spec().rollout().tolerateUnhealthy() + component.spec().rollout().slack();
    // What is tolerated in others is no room for more of the upgrade's own.
    boolean batchIsFull =
        Among.count(here, Down::forTheUpgrade) > component.spec().rollout().slack();
    if ((down.size() <= allowed && !batchIsFull)
        || MemberState.repairs(snapshot, component, target)
        || MemberState.nothingToLose(snapshot, component, target)) {
      return Optional.empty();
    }
    String names = String.join(", ", down);
    return Optional.of(
        ONE_AT_A_TIME.objection(
            target.name(), "not available: " + names, "wait for the named pods", WAIT));
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
    boolean several = component.spec().rollout().slack() > 0;
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
        && MemberState.memberTrouble(component, pod).isEmpty()
        && (!new Course(snapshot, component).arrived().contains(pod)
            || UpdatedMembers.serving(snapshot, component, pod).isEmpty());
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
  public static Optional<Objection> unseenElsewhere(
      Reason reason, Snapshot snapshot, Component component, String object) {
    for (Component other : snapshot.components()) {
      if (!other.name().equals(component.name())
          && other.pods() instanceof Fact.Unknown<List<Pod>> unknown) {
        return Optional.of(reason.unseen(object, unknown));
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
        there.stream().filter(PodRules::isDown).map(PodRules::down));
  }

  /** Whether other components wait for this pod; a missing one has no name yet. */
  public static boolean isDown(Pod pod) {
    return !pod.terminating() && !pod.available();
  }

  static Optional<Objection> disruptionBudgetAllows(
      Snapshot snapshot, Component component, Pod target) {
    if (!target.ready()) {
      return Optional.empty();
    }
    return switch (component.budgets()) {
      case Fact.Unknown<List<Budget>> unknown ->
          Optional.of(DISRUPTION_BUDGET_ALLOWS.unseen(target.name(), unknown));
      case Fact.Known<List<Budget>>(List<Budget> budgets) ->
          Among.first(budgets, b -> b.pods().contains(target.name()) && b.disruptionsAllowed() < 1)
              .map(b ->
                  DISRUPTION_BUDGET_ALLOWS.objection(
                      target.name(),
                      "PodDisruptionBudget " + b.name() + " allows 0 disruptions",
                      "wait for the budget, or relax it",
                      WAIT));
    };
  }

  static Optional<Objection> podIsNotHeld(Snapshot snapshot, Component component, Pod target) {
    return target.held()
        ? Optional.of(
            POD_IS_NOT_HELD.objection(
                target.name(),
                "it has the annotation belay.dev/hold",
                "kubectl annotate pod " + target.name() + " belay.dev/hold-",
                HUMAN))
        : Optional.empty();
  }
}
