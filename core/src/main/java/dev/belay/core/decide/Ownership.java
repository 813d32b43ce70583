package dev.belay.core.decide;

import static dev.belay.core.state.Objection.Weight.PROGRESS;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.rollout.Fitness;
import dev.belay.core.rollout.Forcing;
import dev.belay.core.rollout.Rollout;
import dev.belay.core.rollout.Strategies;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Optional;

/** Answers while this process is not the owner of the StatefulCluster, or has to hand it over. */
record Ownership(Snapshot snapshot) {

  /** Claims the cluster, or says why it may not; empty when this process is the owner. */
  Optional<Decision> missing() {
    Optional<Owner> owner = snapshot.memory().owner();
    if (ours()) {
      return isThisProcess() ? Optional.empty() : Optional.of(claim());
    }
    if (!snapshot.selection().matches() && !wasOursAndIsDeleted()) {
      return Optional.of(notSelected());
    }
    boolean free = owner.isEmpty() || owner.get().released() || snapshot.selection().ownerGone();
    return Optional.of(free ? claim() : ownedElsewhere(owner.get()));
  }

  /**
   * Whether another install is to own the cluster. A deletion is finished by the install that began
   * it: no other install may select the cluster, and its finalizer would stay. An uninstallation
   * claims from the process that acted before.
   */
  boolean handsOver() {
    var selection = snapshot.selection();
    return ours()
        && !selection.matches()
        && !snapshot.subject().deleting()
        && (isThisProcess() || !selection.uninstalling());
  }

  /**
   * Leaves nothing that can take effect while no operator looks, then releases. An undo is tried
   * once: the record goes to the next owner, which tries it again. After an uninstallation there
   * may be no next owner, so the cluster is left as by its deletion.
   */
  Decision handOver(List<Rollout> rollouts) {
    List<Rollout> adopted = Among.those(rollouts, r -> r.memory().adopted());
    var departure = new Departure(snapshot, adopted);
    Optional<Decision> left =
        adopted.stream()
            .filter(r -> !Forcing.drives(r))
            .flatMap(r -> new Strategies(r).secure("another operator takes over").stream())
            .findFirst()
            .or(this::unseen)
            .or(() ->
                snapshot.selection().uninstalling()
                    ? Optional.of(departure.next()).filter(d -> !(d instanceof Decision.Done))
                    : departure.cleanup().filter(Ownership::isUnderWay));
    return left.orElseGet(() -> new Perform(new Step.HandOver("", fence())));
  }

  /** Only an owner acts: another process of its install claims first. */
  Decision asOwner(Decision next) {
    return isThisProcess() || next instanceof Perform(Step.HandOver _) ? next : claim();
  }

  /** No operator may select it, and its finalizer would stay. */
  private boolean wasOursAndIsDeleted() {
    return snapshot.subject().deleting()
        && snapshot
            .memory()
            .owner()
            .filter(o -> o.install().equals(snapshot.self().install()))
            .isPresent();
  }

  /** A release that cannot be seen may take effect, and a recorded step may still be done. */
  private Optional<Decision> unseen() {
    String namespace = snapshot.subject().namespace();
    return snapshot.components().stream()
        .filter(c -> snapshot.memory().component(c.name()).adopted())
        .filter(c -> !c.workload().equals(c.spec().absent(namespace)))
        .flatMap(c -> unseen(c).stream())
        .findFirst()
        .map(objection -> new Wait(List.of(objection)));
  }

  private static Optional<Objection> unseen(Component component) {
    String workload = component.spec().workload();
    if (component.workload() instanceof Fact.Unknown<Workload> unknown) {
      return Optional.of(Reasons.WORKLOAD_IS_READABLE.unseen(workload, unknown));
    }
    if (component.pods() instanceof Fact.Unknown<List<Pod>> unknown) {
      return Optional.of(Reasons.PODS_ARE_READABLE.unseen(workload, unknown));
    }
    return component.workload().asOptional().flatMap(Fitness::unobserved);
  }

  private static boolean isUnderWay(Decision decision) {
    return decision instanceof Perform
        || Among.first(decision.objections()).filter(o -> o.weight() == PROGRESS).isPresent();
  }

  private boolean ours() {
    return snapshot
        .memory()
        .owner()
        .filter(o -> !o.released() && o.install().equals(snapshot.self().install()))
        .isPresent();
  }

  private boolean isThisProcess() {
    return snapshot
        .memory()
        .owner()
        .filter(o -> o.instance().equals(snapshot.self().instance()))
        .filter(o -> o.account().equals(snapshot.self().account()))
        .isPresent();
  }

  private Decision claim() {
    return new Perform(new Step.Claim("", fence(), Asked.leftOver(snapshot)));
  }

  private Fence.Cluster fence() {
    return new Fence.Cluster(snapshot.subject().name());
  }

  private Decision notSelected() {
    return new Wait(
        List.of(
            Reasons.NOT_SELECTED.objection(
                snapshot.subject().name(),
                "the selector of the operator "
                    + snapshot.self().install()
                    + " does not match the labels",
                "label the StatefulCluster so that the selector of one operator matches",
                WAIT)));
  }

  private Decision ownedElsewhere(Owner owner) {
    return new Wait(
        List.of(
            Reasons.OWNED_ELSEWHERE.objection(
                snapshot.subject().name(),
                "the operator "
                    + owner.install()
                    + " owns it, and the selector of the operator "
                    + snapshot.self().install()
                    + " matches too",
                "label the StatefulCluster so that the selector of one operator matches",
                WAIT)));
  }
}
