package dev.belay.operator.actions;

import dev.belay.api.v1alpha1.Errand;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.model.Action;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.operator.actions.Parcel.Duty;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.wire.Addresses;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The actions that StatefulClusters declare: sent when a step says so, and what became of them. */
public final class UserActions implements AutoCloseable {

  private final Sender sender;
  private final Consumer<StatefulCluster> wake;

  /**
   * @param held whether this process holds the Lease of its install
   * @param wake called when a sending for a cluster is over
   */
  public UserActions(Clock clock, BooleanSupplier held, Consumer<StatefulCluster> wake) {
    this.sender = new Sender(Parcel::send, clock, held);
    this.wake = wake;
  }

  /**
   * A look with what became of the actions in its memory; of any other nothing is kept. Every
   * obligation is in the record before it is sent, so that a look that knows it not is right.
   */
  public Sight answered(Sight sight) {
    Snapshot seen = sight.snapshot();
    String cluster = sight.cluster().getMetadata().getUid();
    if (!isMine(seen)) {
      sender.forget(cluster);
      return sight;
    }
    List<Duty> duties = seen.components().stream().flatMap(c -> duties(seen, c)).toList();
    Map<Duty, Action.Result> results = sender.results(cluster, duties, seen.at());
    List<Component> components =
        seen.components().stream()
            .map(c ->
                c.withActs(
                    duties(seen, c)
                        .flatMap(d -> Optional.ofNullable(results.get(d)).stream())
                        .toList()))
            .toList();
    return new Sight(seen.seeing(components), sight.cluster(), sight.behind());
  }

  private static boolean isMine(Snapshot seen) {
    return seen.memory()
        .owner()
        .filter(o -> o.instance().equals(seen.self().instance()))
        .isPresent();
  }

  private static Stream<Duty> duties(Snapshot seen, Component component) {
    Memory.ComponentMemory memory = seen.memory().component(component.name());
    return memory.obligations().stream().map(o -> Duty.of(component.name(), o));
  }

  /** Begins to send an action; what becomes of it is seen by a later look. */
  public Acted send(Sight basis, Step.Act step) {
    Optional<Order> order = Order.of(step.action(), errands(basis, step));
    return order
        .map(o -> begin(basis, step, step.obligation(), o))
        .orElseGet(
            () -> new Acted(false, "the spec has no action " + step.action().what() + " any more"));
  }

  /** Begins to send what takes an action back. */
  public Acted undo(Sight basis, Step.Undo step) {
    String undo = step.obligation().undo();
    return Order.undoing(undo, errands(basis, step))
        .map(o -> begin(basis, step, step.obligation(), o))
        .orElseGet(() ->
            new Acted(
                false,
                "\"%s\" in status.obligations is no request: correct it, or do it by hand and remove it"
                    .formatted(undo)));
  }

  private Acted begin(Sight basis, Step step, Obligation obligation, Order order) {
    Optional<String> host = host(basis, step, obligation, order);
    if (host.isEmpty()) {
      String who = order.request().service() ? "the service of " : "";
      return new Acted(false, who + obligation.object() + " has no address now");
    }
    StatefulCluster cluster = basis.cluster();
    var duty = Duty.of(step.component(), obligation);
    var parcel = new Parcel(duty, step instanceof Step.Undo, host.get(), order);
    sender.send(
        cluster.getMetadata().getUid(), parcel, basis.snapshot().at(), () -> wake.accept(cluster));
    return new Acted(true, "");
  }

  /**
   * Where it goes: to a pod by its name, whoever bears it now, since what was begun on a pod is
   * owed to the member and not to its container.
   */
  private static Optional<String> host(Sight basis, Step step, Obligation obligation, Order order) {
    int index = index(basis.snapshot(), step);
    Optional<Addresses> addresses = basis.addresses(index);
    if (order.request().service()) {
      return addresses.flatMap(Addresses::ofService);
    }
    Optional<Pod> pod =
        basis.snapshot().components().get(index).podList().stream()
            .filter(p -> p.name().equals(obligation.object()) && !p.terminating())
            .findFirst();
    return pod.flatMap(p -> addresses.flatMap(a -> a.of(p)));
  }

  private static List<Errand> errands(Sight basis, Step step) {
    int index = index(basis.snapshot(), step);
    return Errand.of(
        "spec.components[" + index + "].actions",
        basis.cluster().getSpec().components().get(index).actions());
  }

  private static int index(Snapshot seen, Step step) {
    for (int i = 0; i < seen.components().size(); i++) {
      if (seen.components().get(i).name().equals(step.component())) {
        return i;
      }
    }
    throw new IllegalStateException("no component " + step.component());
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
