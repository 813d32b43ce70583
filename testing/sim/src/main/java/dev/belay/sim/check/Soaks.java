package dev.belay.sim.check;

import dev.belay.core.model.Spec;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** S3: whoever is new serves for its soak, in true time, before the next one goes. */
final class Soaks {

  /** Belay dates what it saw by its own clock; wrong, it stays wrong for as long as it was off. */
  private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(45);

  /** Some moments are noticed here a little late. */
  private static final Duration SLACK = Duration.ofMillis(400);

  /** Made so long before, it was there before the roll-out and has nothing to prove. */
  private static final Duration OLD = Duration.ofSeconds(60);

  private final World world;
  private final Part part;
  private final Map<String, Instant> served = new HashMap<>();

  Soaks(World world, Part part) {
    this.world = world;
    this.part = part;
  }

  /** After every event: when each pod first served; nobody can have seen it serve before. */
  void update() {
    if (part.setup.rollout().soak().isZero()) {
      return;
    }
    served.keySet().retainAll(part.pods().stream().map(PodObject::uid).collect(Collectors.toSet()));
    for (PodObject p : part.pods()) {
      if (p.ready() && isWell(p.ordinal())) {
        served.putIfAbsent(p.uid(), world.time.now());
      }
    }
  }

  /** A pod of a node that is lost is ready by its last word, and its member is not. */
  private boolean isWell(int ordinal) {
    return !part.setup.hasMembers() || part.raft.healthy(ordinal);
  }

  /** One that serves goes to that revision. */
  void check(Deed deed, int ordinal, Spec.Rollout rollout, String goal, String what) {
    Instant now = world.time.now();
    boolean serves =
        part.store.podsAsOf(deed.looked()).stream()
                .anyMatch(p -> p.ordinal() == ordinal && p.ready())
            && isWell(ordinal);
    if (rollout.soak().isZero()
        || !serves
        || world.weather.lately(Fault.CLOCK_JUMP, CLOCKS_DIFFER)) {
      return;
    }
    Instant proven = now.minus(rollout.soak()).plus(SLACK);
    long soaking =
        part.pods().stream()
            .filter(p -> p.ordinal() != ordinal && p.revision().equals(goal))
            .filter(p -> p.created().isAfter(now.minus(OLD)))
            .filter(p -> served.getOrDefault(p.uid(), Instant.MAX).isAfter(proven))
            .count();
    if (soaking >= rollout.maxUnavailable()) {
      throw new Violation(
          "S3", what + " before the soak of " + rollout.soak().toSeconds() + " s is over");
    }
  }
}
