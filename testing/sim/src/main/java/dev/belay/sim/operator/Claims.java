package dev.belay.sim.operator;

import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.Snapshot.Selection;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Install;
import dev.belay.sim.world.Installs;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which StatefulClusters an install may own, as the operator's Claims answers it: its selector, and
 * for how long this process saw the Lease of the owner unchanged on its own monotonic clock.
 */
final class Claims {

  private record Seen(Optional<Long> version, Instant since) {}

  private final Instance instance;
  private final Map<Install, Seen> leases = new EnumMap<>(Install.class);

  Claims(Instance instance) {
    this.instance = instance;
  }

  Selection selection(ClusterObject cluster) {
    if (instance.world.installs.isLeaving(instance.install)) {
      return Selection.UNINSTALLING;
    }
    boolean matches = instance.install.selects(cluster);
    return new Selection(matches, matches && cluster.owner().filter(this::isGone).isPresent());
  }

  /**
   * Whether this install has anything to do with the cluster. One that is deleted after its release
   * is let go by its last owner.
   */
  boolean concerns(ClusterObject cluster) {
    return instance.install.selects(cluster)
        || cluster
            .owner()
            .filter(o -> cluster.deleting() || !o.released())
            .filter(o -> o.install().equals(instance.self.install()))
            .isPresent();
  }

  private boolean isGone(Owner owner) {
    Install install = Install.named(owner.install());
    return !owner.released() && install != instance.install && isExpired(install);
  }

  /** A Lease that cannot be read is no permission. */
  private boolean isExpired(Install install) {
    if (instance.fails()) {
      return false;
    }
    Optional<Long> version = instance.world.installs.leaseVersion(install);
    Instant now = instance.world.time.now();
    Seen seen = leases.get(install);
    if (seen == null || !seen.version().equals(version)) {
      seen = new Seen(version, now);
      leases.put(install, seen);
    }
    return !seen.since().plus(Installs.EXPIRES).isAfter(now);
  }
}
