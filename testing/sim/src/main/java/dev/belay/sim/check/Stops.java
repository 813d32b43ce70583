package dev.belay.sim.check;

import dev.belay.core.model.Among;
import dev.belay.core.model.Spec.OnFailure;
import dev.belay.core.model.Spec.Requests;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory.Owner;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * S11: told to stop or to go back midway, Belay takes nobody further until somebody wants it to.
 * L5: told to go back, it does, or says what is in the way.
 */
final class Stops {

  /** For so long nothing happens, and nothing kept Belay from looking. */
  private static final Duration STANDS = Duration.ofSeconds(8);

  /** What is said of a revision that nobody goes on with: no reason to stay on it. */
  private static final Set<String> NO_REASON =
      Set.of("RevisionIsNotRefused", "UpdatedMembersServe");

  private final World world;
  private final Part part;
  private final Retreat retreat;
  private String abort = "";
  private String rollback = "";
  private String wishes = "";
  private String about = "";
  private Instant stopped = Instant.MAX;

  /** Since when Belay has known of the way back that was asked for. */
  private Instant known = Instant.MAX;

  /** Released, it is nobody's until the next install claims it. */
  private Instant claimed = Instant.MAX;

  private String owner = "";

  /** The template that was there when somebody last said stop: a person sees to what follows. */
  private String abandoned = "";

  private String template = "";
  private boolean back;

  /** When the status last said why nobody goes back. */
  private Instant explained = Instant.EPOCH;

  Stops(World world, Part part, Retreat retreat) {
    this.world = world;
    this.part = part;
    this.retreat = retreat;
  }

  /** After every event. */
  void update() {
    // Before somebody owns it, what is asked for is left over from an earlier life.
    Optional<ClusterObject> owned =
        world.api.cluster().filter(c -> c.memory().owner().isPresent() && !c.deleting());
    Requests asked = owned.map(c -> c.spec().requests()).orElse(Requests.NONE);
    String now =
        owned.map(c -> c.uid() + "/" + c.spec().version() + "/" + part.wanted()).orElse("")
            + asked.retry();
    String aborts = asked.abort().orElse("");
    String backs = asked.rollback().orElse("");
    boolean dropped = back && backs.isEmpty() && !heeded(owned, rollback);
    if (!now.equals(wishes) || dropped) {
      stopped = Instant.MAX;
    }
    boolean midway = !part.outdated().isEmpty() && !retreat.wasGood(part.wanted());
    boolean stops = !aborts.isEmpty() && !aborts.equals(abort);
    boolean returns = !backs.isEmpty() && !backs.equals(rollback);
    // What changed together with the request was not yet under way; nor was it for somebody whose
    // view stood still when the request was heard.
    if ((stops || returns) && midway && now.equals(wishes) && !world.weather.unheard()) {
      stopped = world.time.now();
      about = part.wanted();
      back = returns;
    }
    String install =
        owned
            .flatMap(ClusterObject::owner)
            .filter(o -> !o.released())
            .map(Owner::install)
            .orElse("");
    if (!install.equals(owner)) {
      owner = install;
      claimed = install.isEmpty() ? Instant.MAX : world.time.now();
    }
    template = part.wanted();
    if (stops) {
      abandoned = template;
    }
    wishes = now;
    abort = aborts;
    rollback = backs;
    boolean knows = back && heeded(owned, rollback);
    known = !knows ? Instant.MAX : known.equals(Instant.MAX) ? world.time.now() : known;
  }

  private static boolean heeded(Optional<ClusterObject> cluster, String token) {
    return cluster.filter(c -> c.memory().handled().rollback().equals(token)).isPresent();
  }

  /** A further member is about to get the revision of the template. */
  void check(Deed deed, String what) {
    update();
    if (stopped.isBefore(deed.looked()) && part.wanted().equals(about)) {
      throw new Violation(
          "S11", what + " although it was told to " + (back ? "go back" : "stop") + " before");
    }
  }

  /** After every event: whoever was told to go back, or failed and shall, does not just stand. */
  void goesBack(Instant progress, boolean failed) {
    Instant since = world.time.now().minus(STANDS);
    if (!hasNoReason()) {
      explained = world.time.now();
    }
    boolean told =
        (back && stopped.isBefore(since) && known.isBefore(since))
            || (failed && turns() && !template.equals(abandoned));
    boolean quiet =
        progress.isBefore(since) && world.weather.clearFor(STANDS) && !world.weather.unheard();
    // By another template it goes back to what that one says.
    boolean left =
        !retreat.wasGood(part.wanted())
            && Among.any(part.pods(), p -> p.revision().equals(part.wanted()));
    // A reason that has just gone is why it stood until then: the step that follows may be recorded
    // and not done yet.
    boolean standsWithout = explained.isBefore(since);
    if (told && quiet && left && claimed.isBefore(since) && standsWithout) {
      throw new Violation("L5", part.name() + " is to go back, and stays without a reason");
    }
  }

  private boolean turns() {
    return world
        .api
        .cluster()
        .filter(c -> c.spec().upgrade().onFailure() == OnFailure.ROLLBACK && !c.deleting())
        .isPresent();
  }

  private boolean hasNoReason() {
    return world
        .api
        .cluster()
        .flatMap(ClusterObject::status)
        .flatMap(Report::blockedBy)
        .filter(b -> !NO_REASON.contains(b.rule()) || isOfAnother(b.object()))
        .isEmpty();
  }

  /**
   * Who is not at the revision that is left may be waited for, or have failed on the way back; and
   * a component behind this one goes back first.
   */
  private boolean isOfAnother(String object) {
    return !part.owns(object)
        || Among.any(
            part.pods(), p -> p.name().equals(object) && !p.revision().equals(part.wanted()));
  }
}
