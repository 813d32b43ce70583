package dev.belay.sim.operator;

import dev.belay.core.model.Among;
import dev.belay.core.state.Memory.Owner;
import dev.belay.sim.world.ApiServer;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Install;
import dev.belay.sim.world.Rng;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** The processes of every install that runs. */
public final class Operators {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final World world;
  private final Map<Install, Replicas> installs = new EnumMap<>(Install.class);

  public Operators(World world, Rng rng, Seams seams, Witness witness) {
    this.world = world;
    world.api.watch(kind -> {
      if (isNews(kind) && seams.hears().test(world)) {
        resync();
      }
    });
    installs.put(Install.BELAY, new Replicas(world, Install.BELAY, rng, seams, witness));
    if (world.installs.several()) {
      Rng other = rng.split(Install.CANARY.label());
      installs.put(Install.CANARY, new Replicas(world, Install.CANARY, other, seams, witness));
      world.time.after(SECOND, this::excuse);
    }
  }

  /**
   * A status is news to another install only when the owner has released: to look again because of
   * its own would undo every pause of the owner.
   */
  private boolean isNews(ApiServer.Kind kind) {
    return kind != ApiServer.Kind.STATUS
        || world.api.cluster().flatMap(ClusterObject::owner).filter(Owner::released).isPresent();
  }

  /** While no install may act, or the one that may cannot, nobody waits for Belay. */
  private void excuse() {
    if (world.api.cluster().isPresent() && !isManaged(world)) {
      world.weather.blindFor(SECOND.multipliedBy(5));
    }
    world.time.after(SECOND, this::excuse);
  }

  /** Whether the owner runs, reaches the API server, and is selected. */
  public static boolean isManaged(World world) {
    Optional<ClusterObject> cluster = world.api.cluster();
    return cluster
        .flatMap(ClusterObject::owner)
        .filter(o -> !o.released())
        .map(o -> Install.named(o.install()))
        .filter(i -> world.installs.runs(i) && !world.installs.isLeaving(i))
        .filter(i -> !world.installs.isCut(i))
        .filter(i -> !world.installs.isSuspended(i) && i.selects(cluster.get()))
        .isPresent();
  }

  /** Writes of all operators so far. */
  public int writes() {
    return installs.values().stream().mapToInt(Replicas::writes).sum();
  }

  /** Of two processes of an install none rests; one of them has yet to end. */
  public boolean crowded() {
    return Among.any(installs.values(), Replicas::crowded);
  }

  /** Makes every operator look again, as a resync of its watches does. */
  public void resync() {
    installs.values().forEach(Replicas::hint);
  }
}
