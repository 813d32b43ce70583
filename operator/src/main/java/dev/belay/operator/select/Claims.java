package dev.belay.operator.select;

import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.Snapshot.Selection;
import dev.belay.core.state.Snapshot.Self;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which StatefulClusters this install may own: those that its selector matches, unless another
 * install owns them and still runs.
 */
public final class Claims {

  private final Self self;
  private final Selector selector;
  private final Leases leases;
  private final boolean uninstalling;

  public Claims(Self self, Selector selector, Leases leases) {
    this(self, selector, leases, false);
  }

  private Claims(Self self, Selector selector, Leases leases, boolean uninstalling) {
    this.self = self;
    this.selector = selector;
    this.leases = leases;
    this.uninstalling = uninstalling;
  }

  /** The same for an install that releases all its clusters. */
  public Claims uninstalling() {
    return new Claims(self, selector, leases, true);
  }

  /** Whether this process may act now. */
  public boolean held() {
    return leases.held();
  }

  public Selection selection(StatefulCluster cluster) {
    if (uninstalling) {
      return isReleasedMidway(cluster) ? Selection.MATCHES : Selection.UNINSTALLING;
    }
    boolean matches = matches(cluster);
    return new Selection(matches, matches && owner(cluster).filter(this::isGone).isPresent());
  }

  /**
   * Whether this install has anything to do with the cluster, as it was last seen. Of a cluster
   * that is deleted after its release, the last owner removes the finalizer.
   */
  public boolean concerns(StatefulCluster cluster) {
    boolean deleting = cluster.getMetadata().getDeletionTimestamp() != null;
    return matches(cluster)
        || owner(cluster)
            .filter(o -> deleting || !o.released())
            .filter(o -> o.install().equals(self.install()))
            .isPresent();
  }

  /**
   * Whether no install acts on the cluster and this one may not either: the selector of no running
   * install matches its labels, as far as can be seen.
   */
  public boolean isUnmanaged(StatefulCluster cluster) {
    return !concerns(cluster) && owner(cluster).filter(o -> !o.released() && !isGone(o)).isEmpty();
  }

  /** The Leases of the other installs that own one of these clusters. */
  public Set<String> otherLeases(Stream<StatefulCluster> clusters) {
    return clusters
        .flatMap(c -> owner(c).stream())
        .filter(o -> !o.released() && !o.install().equals(self.install()))
        .map(Owner::lease)
        .collect(Collectors.toSet());
  }

  /** The labels that workloads get from their StatefulCluster: those that the selector names. */
  public List<String> labels() {
    return selector.keys();
  }

  /**
   * Released by another process, to a next owner that never came: the finalizer is there while a
   * workload is parked, or a rollout is under way. The uninstallation claims the cluster to leave
   * it as its deletion would.
   */
  private boolean isReleasedMidway(StatefulCluster cluster) {
    return Objects.requireNonNullElse(cluster.getMetadata().getFinalizers(), List.<String>of())
            .contains(StatefulCluster.FINALIZER)
        && owner(cluster)
            .filter(o -> o.released() && o.install().equals(self.install()))
            .filter(o -> !o.instance().equals(self.instance()))
            .isPresent();
  }

  private boolean matches(StatefulCluster cluster) {
    return selector.matches(
        Objects.requireNonNullElse(cluster.getMetadata().getLabels(), Map.of()));
  }

  private boolean isGone(Owner owner) {
    return !owner.released()
        && !owner.install().equals(self.install())
        && leases.expired(owner.lease());
  }

  private static Optional<Owner> owner(StatefulCluster cluster) {
    return Mapping.owner(cluster);
  }
}
