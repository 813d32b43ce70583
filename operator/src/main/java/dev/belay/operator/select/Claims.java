package dev.belay.operator.select;

import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.snapshot.Memory.Owner;
import dev.belay.core.snapshot.Snapshot.Selection;
import dev.belay.core.snapshot.Snapshot.Self;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Which StatefulClusters this install may own: those that its selector matches, unless another
 * install owns them and still runs.
 */
public final class Claims {

  private final Self self;
  private final Selector selector;
  private final Predicate<String> expired;

  /**
   * @param expired whether the lease with this name expired long ago
   */
  public Claims(Self self, Selector selector, Predicate<String> expired) {
    this.self = self;
    this.selector = selector;
    this.expired = expired;
  }

  public Selection selection(StatefulCluster cluster) {
    boolean matches = matches(cluster);
    return new Selection(matches, matches && owner(cluster).filter(this::isGone).isPresent());
  }

  /** Whether this install has anything to do with the cluster, as it was last seen. */
  public boolean concerns(StatefulCluster cluster) {
    return matches(cluster)
        || owner(cluster)
            .filter(o -> !o.released() && o.install().equals(self.install()))
            .isPresent();
  }

  /**
   * Whether no install acts on the cluster and this one may not either: the selector of no running
   * install matches its labels, as far as can be seen.
   */
  public boolean isUnmanaged(StatefulCluster cluster) {
    return !concerns(cluster)
        && owner(cluster).filter(o -> !o.released() && !isGone(o)).isEmpty();
  }

  /** The labels that workloads get from their StatefulCluster: those that the selector names. */
  public List<String> labels() {
    return selector.keys();
  }

  private boolean matches(StatefulCluster cluster) {
    return selector.matches(
        Objects.requireNonNullElse(cluster.getMetadata().getLabels(), Map.of()));
  }

  private boolean isGone(Owner owner) {
    return !owner.released()
        && !owner.install().equals(self.install())
        && expired.test(owner.lease());
  }

  private static Optional<Owner> owner(StatefulCluster cluster) {
    return Mapping.owner(cluster);
  }
}
