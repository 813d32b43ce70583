package dev.belay.sim.check;

import dev.belay.core.model.Among;
import dev.belay.core.model.Workload;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.SetObject;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * S9: which revision has failed, by what its pods did and not by what Belay remembers. A pod that
 * is in trouble for so long that nobody who looks can miss it has failed its revision.
 */
final class Failures {

  private static final Duration PLAIN_TO_SEE = Duration.ofSeconds(4);

  private static final Duration STOPPED = Duration.ofSeconds(10);

  private final World world;
  private final Part part;
  private final Retreat retreat;
  private final Map<String, Instant> troubled = new HashMap<>();
  private final Set<String> excused = new HashSet<>();
  private String about = "";
  private String accepted = "";
  private Instant failed = Instant.MAX;
  private Instant watched = Instant.EPOCH;

  Failures(World world, Part part, Retreat retreat) {
    this.world = world;
    this.part = part;
    this.retreat = retreat;
  }

  /** After every event. */
  void update(boolean forced) {
    Instant now = world.time.now();
    SetObject set = part.set();
    String revision = set.spec().template().revision();
    String retry = world.api.cluster().map(c -> c.memory().handled().retry()).orElse("");
    String wish = world.api.cluster().map(c -> c.uid() + "/" + revision + "/" + retry).orElse("");
    if (!wish.equals(about)) {
      boolean again = !retry.equals(accepted);
      about = wish;
      accepted = retry;
      failed = Instant.MAX;
      watched = now;
      // Its controller makes the broken ones anew only once it is let loose: that is the other try.
      excused.clear();
      if (part.setup.isDeployment()) {
        excused.addAll(troubled.keySet());
      }
      // What was not ready when it was accepted is what the other try makes anew.
      if (again) {
        part.pods().stream().filter(p -> !p.ready()).map(PodObject::uid).forEach(excused::add);
      }
    }
    var broken = new HashSet<String>();
    for (PodObject p : part.pods()) {
      boolean stays = !p.ready() && !p.terminating() && p.state().trouble().isPresent();
      if (stays && p.revision().equals(revision)) {
        broken.add(p.uid());
      }
    }
    troubled.keySet().retainAll(broken);
    broken.forEach(uid -> troubled.putIfAbsent(uid, now));
    if (!judged(set) || forced) {
      watched = now;
    }
    // On the way back, whoever comes up after all has proved it: there is nowhere else to go. And
    // who then wants what is there anyway need not ask for another try.
    if (goesBack() && retreat.wasGood(revision)) {
      failed = Instant.MAX;
      watched = now;
    }
    Instant from = now.minus(PLAIN_TO_SEE);
    boolean plain =
        Among.any(
                troubled.entrySet(),
                t -> t.getValue().isBefore(from) && !excused.contains(t.getKey()))
            && watched.isBefore(from)
            && world.weather.clearFor(PLAIN_TO_SEE)
            && !world.weather.unheard();
    if (plain && failed.equals(Instant.MAX)) {
      failed = now;
    }
  }

  /** Whether there is a roll-out that Belay conducts. */
  private boolean judged(SetObject set) {
    Optional<ClusterObject> cluster = world.api.cluster();
    boolean conducts =
        cluster
            .filter(c -> !c.deleting() && c.status().isPresent())
            .filter(c -> c.memory().component(part.name()).adopted())
            .isPresent();
    return conducts
        && set.status().observedGeneration() >= set.generation()
        && (set.spec().update() == part.setup.update()
            || part.setup.update() == Workload.Update.ON_DELETE)
        && !world.weather.holds(Fault.CONTROLLER_DOWN)
        && !part.outdated().isEmpty();
  }

  /** Whether the revision of the template failed, plain to see, before this moment. */
  boolean failedBefore(Instant moment) {
    return failed.isBefore(moment);
  }

  /** What its own controller rolls goes on by itself: it is stopped when its revision failed. */
  void stopsTheLine() {
    boolean rolls =
        part.setup.isDeployment()
            && part.set().spec().partition() != Workload.FROZEN
            && !part.outdated().isEmpty();
    Instant since = world.time.now().minus(STOPPED);
    if (rolls
        && failed.isBefore(since)
        && watched.isBefore(since)
        && !goesBack()
        && world.weather.clearFor(STOPPED)) {
      throw new Violation("S9", part.name() + " rolls on although its revision has failed");
    }
  }

  /** Another version is asked for than the one that is written. */
  private boolean goesBack() {
    String written = part.set().spec().template().tag();
    return world
        .api
        .cluster()
        .flatMap(c -> c.spec().version())
        .filter(asked -> !asked.equals(written))
        .isPresent();
  }

  /** A further member is about to get the revision of the template. */
  void check(Deed deed, String what) {
    if (failed.isBefore(deed.looked()) && !goesBack()) {
      throw new Violation(
          "S9", what + " although its revision has failed, and nobody asked for another try");
    }
  }
}
