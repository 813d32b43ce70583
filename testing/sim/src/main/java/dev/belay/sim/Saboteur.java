package dev.belay.sim;

import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.loop.Loop.Recorded;
import dev.belay.core.report.Report;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.CrashPlans.Plan;
import dev.belay.sim.operator.Seams;
import dev.belay.sim.world.Death;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Counts the writes, events and looks of a run, and does its worst to one of them. */
final class Saboteur {

  /** A look that is missed is made up for by the loop's own timer, after so long at most. */
  private static final Duration TIMER = Duration.ofSeconds(10);

  private final Plan plan;
  private final int victim;
  private int writes;
  private int events;
  private int looks;
  private boolean pinned;
  private Optional<Snapshot> before = Optional.empty();
  private Optional<Snapshot> longBefore = Optional.empty();
  private Optional<World> world = Optional.empty();

  Saboteur(Plan plan, int victim) {
    this.plan = plan;
    this.victim = victim;
  }

  /** Whom nobody falls victim to. */
  static Saboteur harmless() {
    return new Saboteur(Plan.REPLY_LOST, -1);
  }

  /** At how many moments a plan can strike. */
  int moments(Plan what) {
    return switch (what) {
      case DIES_BEFORE, DIES_AFTER, REPLY_LOST, OLDER_VIEW -> writes;
      case EVENT_DROPPED -> events;
      case VIEW_PINNED -> looks;
    };
  }

  /** What stands there when all is over; times, uids and versions of objects left out. */
  String end() {
    return world
        .map(w ->
            w.parts().stream().map(Saboteur::end).collect(Collectors.joining("; "))
                + ", Belay "
                + w.api.cluster().flatMap(c -> c.status()).map(Report::phase))
        .orElse("nothing began");
  }

  private static String end(Part part) {
    var spec = part.set().spec();
    var status = part.set().status();
    return String.format(
        Locale.ROOT,
        "%s, %d replicas, partition %d, current %s, update %s, %s",
        spec.template().revision(),
        spec.replicas(),
        spec.partition(),
        status.currentRevision(),
        status.updateRevision(),
        part.pods().stream()
            .map(p -> p.name() + " " + p.revision() + (p.ready() ? " ready" : " unready"))
            .collect(Collectors.joining(", ")));
  }

  Seams seams() {
    return Seams.NONE
        .withObserver((in, observer) -> {
          world = Optional.of(in);
          return () -> observe(observer);
        })
        .withRecorder((in, recorder) -> (basis, report) -> record(recorder, basis, report))
        .withActor((in, actor) -> (basis, step) -> act(actor, basis, step))
        .withEars(this::hears);
  }

  private boolean hears(World in) {
    boolean dropped = events++ == victim && plan == Plan.EVENT_DROPPED;
    if (dropped) {
      in.weather.blindFor(TIMER);
    }
    return !dropped;
  }

  private Recorded record(Loop.Recorder recorder, Snapshot basis, Report report) {
    boolean hit = writes == victim;
    if (hit && plan == Plan.DIES_BEFORE) {
      writes++;
      throw new Death("killed by the plan");
    }
    Recorded recorded = recorder.record(basis, report);
    if (recorded != Recorded.WRITTEN) {
      return recorded;
    }
    writes++;
    if (hit && plan == Plan.DIES_AFTER) {
      throw new Death("killed by the plan");
    }
    return hit && plan == Plan.REPLY_LOST ? Recorded.CONFLICT : recorded;
  }

  private Acted act(Loop.Actor actor, Snapshot basis, Step step) {
    boolean hit = writes++ == victim;
    if (hit && plan == Plan.DIES_BEFORE) {
      throw new Death("killed by the plan");
    }
    Acted acted = actor.act(basis, step);
    if (hit && plan == Plan.DIES_AFTER) {
      throw new Death("killed by the plan");
    }
    return hit && plan == Plan.REPLY_LOST ? new Acted(false, "the reply was lost") : acted;
  }

  /** One look sees what an earlier one saw: the last one, or one before the world last changed. */
  private Snapshot observe(Loop.Observer observer) {
    boolean afterVictim = plan == Plan.OLDER_VIEW && writes == victim + 1 && !pinned;
    boolean isVictim = plan == Plan.VIEW_PINNED && looks == victim;
    looks++;
    Optional<Snapshot> older = isVictim ? longBefore : before;
    Snapshot seen = observer.observe();
    if ((afterVictim || isVictim) && older.isPresent()) {
      pinned = true;
      world.ifPresent(w -> w.weather.blindFor(TIMER));
      return older.get();
    }
    if (before.filter(b -> !b.components().equals(seen.components())).isPresent()) {
      longBefore = before;
    }
    before = Optional.of(seen);
    return seen;
  }
}
