package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What the nodes have to say: whoever sits on one that goes away counts as leaving. */
public final class NodeRules {

  public static final Reason NOBODY_ELSE_IS_LEAVING =
      new Reason(
          "NobodyElseIsLeaving",
          "No other member, of whichever component, sits on a node that is cordoned, unready or"
              + " going away.",
          "Finish the node maintenance, or uncordon the node.",
          "cluster-etcd-operator#1663: a quorum was lost to health that was a minute old"
              + " and a node that rebooted meanwhile. That a node is cordoned is known before.");

  private NodeRules() {}

  static Optional<Objection> nobodyElseIsLeaving(
      Snapshot snapshot, Component component, Pod target) {
    return servesNobody(snapshot, component, target)
        ? Optional.empty()
        : leaving(component.podList(), p -> !p.uid().equals(target.uid()), target.name())
            .or(() -> leavingElsewhere(snapshot, component, target.name()));
  }

  /**
   * Before a controller is let loose: that of a Deployment keeps enough of its own up, and knows
   * nothing of other components; that of a StatefulSet takes the next pod down whoever else leaves.
   */
  static Optional<Objection> nobodyIsLeaving(Snapshot snapshot, Component component) {
    List<Pod> outdated = new Course(snapshot, component).outdated();
    boolean deployment =
        component
            .workload()
            .asOptional()
            .filter(w -> w.kind() == Workload.Kind.DEPLOYMENT)
            .isPresent();
    if (deployment) {
      return Among.all(outdated, p -> servesNobody(snapshot, component, p))
          ? Optional.empty()
          : leavingElsewhere(snapshot, component, component.spec().workload());
    }
    return Among.first(outdated).flatMap(p -> nobodyElseIsLeaving(snapshot, component, p));
  }

  /** One that is down on what never was good is nobody's reserve: to heal it takes nothing away. */
  private static boolean servesNobody(Snapshot snapshot, Component component, Pod pod) {
    return MemberState.repairs(snapshot, component, pod)
        || MemberState.nothingToLose(snapshot, component, pod);
  }

  /** One member at a time means over the whole cluster, and so does one that is about to go. */
  private static Optional<Objection> leavingElsewhere(
      Snapshot snapshot, Component component, String object) {
    return PodRules.unseenElsewhere(NOBODY_ELSE_IS_LEAVING, snapshot, component, object)
        .or(() ->
            snapshot.components().stream()
                .filter(c -> !c.name().equals(component.name()))
                .flatMap(c -> leaving(c.podList(), _ -> true, object).stream())
                .findFirst());
  }

  private static Optional<Objection> leaving(List<Pod> pods, Predicate<Pod> counts, String object) {
    for (Pod pod : pods) {
      if (!counts.test(pod)) {
        continue;
      }
      switch (pod.leaving()) {
        case Fact.Unknown<Optional<String>> unknown -> {
          return Optional.of(NOBODY_ELSE_IS_LEAVING.unseen(object, unknown));
        }
        case Fact.Known<Optional<String>>(Optional<String> why) when why.isPresent() -> {
          return Optional.of(
              NOBODY_ELSE_IS_LEAVING.objection(
                  object,
                  pod.name() + ": " + why.get(),
                  "finish the maintenance of that node",
                  WAIT));
        }
        case Fact.Known<Optional<String>> stays -> {}
      }
    }
    return Optional.empty();
  }
}
