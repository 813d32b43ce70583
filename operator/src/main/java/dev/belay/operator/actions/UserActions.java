package dev.belay.operator.actions;

import dev.belay.api.v1alpha1.Errand;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.plan.Step;
import dev.belay.core.snapshot.Action;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Memory.Obligation;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.wire.Addresses;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The actions that StatefulClusters declare: sent when a step says so, and what became of them. */
public final class UserActions implements AutoCloseable {

  private final Sender sender;
  private final Consumer<StatefulCluster> wake;

  /**
   * @param wake called when a sending for a cluster is over
   */
  public UserActions(Consumer<StatefulCluster> wake) {
    this.sender = new Sender(parcel -> parcel.call().to(parcel.host(), parcel.pace().timeout()));
    this.wake = wake;
  }

  /**
   * A look with what became of the actions in its memory; of any other nothing is kept. Every
   * obligation is in the record before it is sent, so that a look that knows it not is right.
   */
  public Sight answered(Sight sight) {
    Snapshot seen = sight.snapshot();
    List<String> owed =
        seen.memory().components().values().stream()
            .flatMap(m -> m.obligations().stream().map(Obligation::id))
            .toList();
    List<Action.Result> results = sender.results(sight.cluster().getMetadata().getUid(), owed);
    if (results.isEmpty()) {
      return sight;
    }
    List<Component> components =
        seen.components().stream().map(c -> c.withActs(of(c, seen.memory(), results))).toList();
    return new Sight(seen.seeing(components), sight.cluster(), sight.behind());
  }

  private static List<Action.Result> of(
      Component component, Memory memory, List<Action.Result> results) {
    Set<String> mine =
        memory.component(component.name()).obligations().stream()
            .map(Obligation::id)
            .collect(Collectors.toSet());
    return results.stream().filter(r -> mine.contains(r.id())).toList();
  }

  /** Begins to send an action; what becomes of it is seen by a later look. */
  public Acted send(Sight basis, Step.Act step) {
    return begin(
        basis,
        step.component(),
        step.obligation(),
        (host, errands) -> Parcel.of(step, host, errands),
        "the spec has no action " + step.action().what() + " any more");
  }

  /** Begins to send what takes an action back. */
  public Acted undo(Sight basis, Step.Undo step) {
    Obligation owed = step.obligation();
    return begin(
        basis,
        step.component(),
        owed,
        (host, errands) -> Parcel.undoing(owed, host, errands),
        "\"%s\" in status.obligations is no request: correct it, or do it by hand and remove it"
            .formatted(owed.undo()));
  }

  /** Packs what is sent to a host. */
  @FunctionalInterface
  private interface Packing {
    Optional<Parcel> pack(String host, List<Errand> errands);
  }

  private Acted begin(
      Sight basis, String component, Obligation obligation, Packing packing, String otherwise) {
    StatefulCluster cluster = basis.cluster();
    int index = index(basis.snapshot(), component);
    Optional<String> host = host(basis, index, obligation);
    if (host.isEmpty()) {
      return new Acted(false, obligation.object() + " has no address now");
    }
    List<Errand> errands =
        Errand.of(
            "spec.components[" + index + "].actions",
            cluster.getSpec().components().get(index).actions());
    Optional<Parcel> parcel = packing.pack(host.get(), errands);
    parcel.ifPresent(
        p -> sender.send(cluster.getMetadata().getUid(), p, () -> wake.accept(cluster)));
    return parcel.isPresent() ? new Acted(true, "") : new Acted(false, otherwise);
  }

  /**
   * Where the object answers now: a pod by its name, whoever bears it, since what was begun on a
   * pod is owed to the member and not to its container.
   */
  private static Optional<String> host(Sight basis, int index, Obligation obligation) {
    Component component = basis.snapshot().components().get(index);
    Optional<Addresses> addresses = basis.addresses(index);
    if (obligation.object().equals(component.spec().workload()) && obligation.uid().isEmpty()) {
      return addresses.flatMap(Addresses::ofService);
    }
    return component.podList().stream()
        .filter(p -> p.name().equals(obligation.object()) && !p.terminating())
        .findFirst()
        .flatMap((Pod p) -> addresses.flatMap(a -> a.of(p)));
  }

  private static int index(Snapshot seen, String component) {
    for (int i = 0; i < seen.components().size(); i++) {
      if (seen.components().get(i).name().equals(component)) {
        return i;
      }
    }
    throw new IllegalStateException("no component " + component);
  }

  /** Sends nothing again for a StatefulCluster that is gone, or another's. */
  public void forget(String uid) {
    sender.forget(uid);
  }

  @Override
  public void close() {
    sender.close();
  }
}
