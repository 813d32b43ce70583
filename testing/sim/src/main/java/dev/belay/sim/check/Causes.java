package dev.belay.sim.check;

import dev.belay.core.model.Among;
import dev.belay.core.report.Report;
import dev.belay.core.report.Report.Blocked;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Which revisions gave cause to be called failed, by what their pods did. */
final class Causes {

  /** A clock that jumped by half a minute makes a time-out end as much too early. */
  private static final Duration JUMP = Duration.ofSeconds(32);

  private static final Duration SLACK = Duration.ofSeconds(2);

  private final World world;
  private final Set<String> revisions = new HashSet<>();
  private final Map<String, Instant> since = new HashMap<>();

  Causes(World world) {
    this.world = world;
  }

  /** After every event. */
  void update() {
    boolean jumped = world.weather.lately(Fault.CLOCK_JUMP, Duration.ofMinutes(2));
    Instant now = world.time.now().plus(jumped ? JUMP : SLACK);
    for (Part part : world.parts()) {
      Instant first = since.computeIfAbsent(part.wanted(), _ -> world.time.now());
      Instant late = now.minus(part.setup.rollout().readyTimeout());
      for (PodObject p : part.pods()) {
        boolean serves = part.setup.hasMembers() ? part.serves(p) : p.ready();
        if (p.state().trouble().isPresent() || (!serves && p.created().isBefore(late))) {
          revisions.add(p.revision());
        }
      }
      if (first.isBefore(now.minus(part.setup.rollout().progressDeadline()))) {
        revisions.add(part.wanted());
      }
    }
  }

  /** Whether a report that something failed has ground, in whichever component. */
  boolean found(Report report) {
    update();
    boolean leader =
        report.blockedBy().map(Blocked::rule).filter("LeaderTransferFailed"::equals).isPresent();
    // What an action or a check was answered is between the two of them.
    return leader
        || Among.any(
            world.parts(),
            p -> revisions.contains(p.wanted()) || p.setup.actions() || p.setup.checks());
  }
}
