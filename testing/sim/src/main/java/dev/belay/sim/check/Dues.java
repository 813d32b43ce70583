package dev.belay.sim.check;

import dev.belay.core.model.Among;
import dev.belay.core.report.Phase;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * S12: whatever was done for the upgrade is owed before it is done, for as long as it is not taken
 * back; and it is taken back on every way out.
 */
final class Dues {

  private static final Set<Phase> NOBODY_GOES_ON =
      EnumSet.of(Phase.PAUSED, Phase.HELD, Phase.FAILED, Phase.IDLE);

  /** An undo that fails is tried again every ten seconds. */
  private static final Duration LONG = Duration.ofSeconds(60);

  private final World world;
  private final Part part;
  private final Map<String, Instant> idle = new HashMap<>();
  private final Map<String, Instant> drained = new HashMap<>();
  private final Set<String> agreed = new HashSet<>();
  private String approved = "";
  private Instant deleted = Instant.MAX;

  Dues(World world, Part part) {
    this.world = world;
    this.part = part;
  }

  /** After every event. */
  void check() {
    Optional<ClusterObject> cluster = world.api.cluster();
    if (cluster.isPresent()) {
      boolean leaving = cluster.get().deleting();
      deleted = !leaving ? Instant.MAX : deleted.equals(Instant.MAX) ? world.time.now() : deleted;
    }
    agree(cluster);
    part.drained().forEach(pod -> drained.put(pod, world.time.now()));
    if (part.drained().isEmpty()) {
      idle.clear();
      return;
    }
    for (String pod : List.copyOf(part.drained())) {
      Optional<PodObject> there =
          part.pods().stream().filter(p -> p.name().equals(pod)).findFirst();
      // Of a member that is no longer wanted nothing can be taken back.
      boolean scaledAway = !part.set().names().contains(pod);
      // Where Belay leaves when the set has gone before, nobody is left to be told.
      boolean gone = cluster.isEmpty() && !part.store.exists();
      if (scaledAway || gone) {
        part.undrain(pod);
      } else if (cluster.isEmpty()) {
        left(pod, there);
      } else if (!owed(cluster.get().memory(), pod)) {
        if (agreed.remove(pod)) {
          part.undrain(pod);
          continue;
        }
        throw new Violation("S12", pod + " is drained, and nobody owes it the way back");
      } else {
        linger(cluster.get(), pod, there);
      }
    }
  }

  /** What a person leaves as it is when the status asks for exactly that is seen to by hand. */
  private void agree(Optional<ClusterObject> cluster) {
    String token = cluster.flatMap(c -> c.spec().requests().approve()).orElse("");
    boolean asked =
        cluster
            .flatMap(ClusterObject::status)
            .filter(r -> r.waitingFor().equals(token))
            .isPresent();
    if (!token.equals(approved) && asked) {
      agreed.addAll(
          Among.those(List.copyOf(part.drained()), p -> token.startsWith("undo/" + p + "/")));
    }
    approved = token;
    agreed.retainAll(part.drained());
  }

  /** One that serves is about to go down: what is to be done to it before was done. */
  void takesDown(Deed deed, PodObject pod, String what) {
    check();
    boolean serves =
        pod.ready()
            && part.store.podsAsOf(deed.looked()).stream()
                .anyMatch(p -> p.uid().equals(pod.uid()) && p.ready());
    boolean done = !drained.getOrDefault(pod.name(), Instant.EPOCH).isBefore(deed.looked());
    if (part.setup.actions() && serves && !done) {
      throw new Violation("S12", what + ", and it was not drained before");
    }
  }

  private boolean owed(Memory memory, String pod) {
    return memory.component(part.name()).obligations().stream()
        .filter(Obligation::open)
        .anyMatch(o -> o.object().equals(pod));
  }

  /** Deleted: tried once; who does not answer, or is not up for a minute, is said and left. */
  private void left(String pod, Optional<PodObject> there) {
    boolean waited =
        !deleted.isAfter(world.time.now().minus(LONG)) || !world.weather.clearFor(LONG);
    if ((there.filter(PodObject::ready).isPresent() || !waited) && !part.leftAlone(pod)) {
      throw new Violation("S12", "the StatefulCluster is gone, and " + pod + " is still drained");
    }
    part.undrain(pod);
  }

  private void linger(ClusterObject cluster, String pod, Optional<PodObject> there) {
    boolean rests =
        cluster.status().filter(r -> NOBODY_GOES_ON.contains(r.phase())).isPresent()
            && there.filter(p -> p.ready() && !p.terminating()).isPresent()
            && world.api.up();
    if (!rests) {
      idle.remove(pod);
      return;
    }
    Instant since = idle.computeIfAbsent(pod, _ -> world.time.now());
    if (since.plus(LONG).isBefore(world.time.now()) && world.weather.clearFor(LONG)) {
      throw new Violation("S12", pod + " is drained for a minute although nobody goes on");
    }
  }
}
