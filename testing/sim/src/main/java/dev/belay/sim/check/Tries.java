package dev.belay.sim.check;

import dev.belay.core.model.Pod;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;

/**
 * L7: one request for another try is enough. A pod that was in trouble already when it was heeded
 * says nothing about the try: it is what the try is to replace.
 */
final class Tries {

  private static final Duration UNDISTURBED = Duration.ofSeconds(5);

  private final World world;
  private final Part part;
  private final Map<String, Instant> troubled = new HashMap<>();
  private String wanted = "";
  private Instant heeded = Instant.EPOCH;

  Tries(World world, Part part) {
    this.world = world;
    this.part = part;
  }

  /** After every event: since when which pod has been in trouble, going ones included. */
  void update() {
    var now = new HashSet<String>();
    for (PodObject p : part.pods()) {
      if (!p.ready() && p.state().trouble().isPresent()) {
        now.add(p.uid());
      }
    }
    troubled.keySet().retainAll(now);
    now.forEach(uid -> troubled.putIfAbsent(uid, world.time.now()));
  }

  void recorded(Snapshot basis, Report report, Instant looked) {
    if (!report.memory().handled().retry().equals(basis.memory().handled().retry())) {
      heeded = looked;
      wanted = part.wanted();
      return;
    }
    Optional<Refused> before = basis.memory().component(part.name()).refused();
    report
        .memory()
        .component(part.name())
        .refused()
        .filter(r -> r.cause() == Cause.FAILED && before.isEmpty())
        .filter(_ -> part.wanted().equals(wanted) && world.weather.clearFor(UNDISTURBED))
        .filter(r -> wasInTrouble(basis, r.object()))
        .ifPresent(r -> {
          throw new Violation(
              "L7",
              "another try was asked for, and is over because of "
                  + r.object()
                  + ", which was in trouble before: "
                  + r.reason());
        });
  }

  private boolean wasInTrouble(Snapshot basis, String pod) {
    return basis.components().stream()
        .filter(c -> c.name().equals(part.name()))
        .flatMap(c -> c.podList().stream())
        .filter(p -> p.name().equals(pod))
        .map(Pod::uid)
        .map(troubled::get)
        .anyMatch(since -> since != null && since.isBefore(heeded));
  }
}
