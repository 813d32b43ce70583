package dev.belay.operator.marks;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.guard.Mark;
import dev.belay.core.guard.Mark.Stamp;
import dev.belay.core.model.Component;
import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.operator.PatchRequest;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.observe.Live;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the mark of the recorded owner on each workload that a StatefulCluster names. The guard
 * protects marked workloads only, so no step is taken before the mark is there.
 */
public final class WorkloadMarks {

  /** The policies let one write raise the epoch by so much; a far higher one takes several. */
  private static final long LEAP = 10_000_000_000L;

  private final KubernetesClient client;
  private final Self self;
  private final MarkWriter writer;

  public WorkloadMarks(KubernetesClient client, Self self) {
    this.client = client;
    this.self = self;
    this.writer = new MarkWriter(client);
  }

  /**
   * Marks the workloads of a StatefulCluster that this process owns.
   *
   * @return whether anything was written, so that the observation is outdated
   */
  public boolean keep(Sight sight) {
    Optional<Owner> owner = sight.snapshot().memory().owner().filter(this::isSelf);
    if (owner.isEmpty()) {
      return false;
    }
    boolean written = false;
    for (Component component : sight.snapshot().components()) {
      Optional<Live> workload =
          Optional.ofNullable(sight.behind().get(component.name()))
              .flatMap(b -> b.workload().asOptional());
      boolean first = component.rival().is(Optional.empty());
      if (first && workload.isPresent()) {
        written |= keep(sight.cluster(), owner.get(), workload.get());
      }
    }
    return written;
  }

  /**
   * The first workload that does not carry the mark of this owner. Until it does, a write of an
   * earlier owner may still pass.
   */
  public Optional<String> missing(Sight sight) {
    Optional<Owner> owner = sight.snapshot().memory().owner().filter(this::isSelf);
    String name = sight.snapshot().subject().name();
    return owner.flatMap(o ->
        sight.snapshot().components().stream()
            .filter(c -> c.rival().is(Optional.empty()))
            .flatMap(c -> Optional.ofNullable(sight.behind().get(c.name())).stream())
            .flatMap(b -> b.workload().asOptional().stream())
            .filter(w -> !w.mark().equals(Mark.of(name, new Stamp(o.epoch(), o.account()))))
            .map(w -> w.kind() + " " + w.metadata().getName())
            .findFirst());
  }

  private boolean isSelf(Owner owner) {
    return !owner.released()
        && owner.install().equals(self.install())
        && owner.instance().equals(self.instance())
        && owner.account().equals(self.account());
  }

  private boolean keep(StatefulCluster cluster, Owner owner, Live workload) {
    String name = cluster.getMetadata().getName();
    Mark before = workload.mark();
    if (before.equals(Mark.of(name, new Stamp(owner.epoch(), owner.account())))) {
      return false;
    }
    // Without a rival, the label of another StatefulCluster is a leftover.
    boolean leftover = before.cluster().filter(c -> !c.equals(name)).isPresent();
    if (leftover && before.heldBy(self.account())) {
      return writer.release(workload);
    }
    if (leftover && before.owner().isPresent()) {
      return false;
    }
    // An owner without a label holds nothing.
    long found = before.present() ? before.stamp().map(Stamp::epoch).orElse(-1L) : -1;
    if (found >= owner.epoch()) {
      return raise(cluster, owner, found + 1);
    }
    long next = Math.min(owner.epoch(), found + LEAP);
    return writer.write(workload, Mark.of(name, new Stamp(next, owner.account())));
  }

  /** A foreign stamp that is as high as ours: the status is asked, and the epoch rises above it. */
  private boolean raise(StatefulCluster cluster, Owner owner, long epoch) {
    var patch =
        List.of(
            Map.of(
                "op",
                "test",
                "path",
                "/metadata/resourceVersion",
                "value",
                cluster.getMetadata().getResourceVersion()),
            Map.of("op", "test", "path", "/status/owner/epoch", "value", owner.epoch()),
            Map.of("op", "replace", "path", "/status/owner/epoch", "value", epoch));
    var meta = cluster.getMetadata();
    return MarkWriter.sent(
            "StatefulCluster " + meta.getName(),
            () ->
                PatchRequest.toStatus(client, meta.getNamespace(), meta.getName())
                    .send(PatchType.JSON, Serialization.asJson(patch)))
        .isPresent();
  }
}
