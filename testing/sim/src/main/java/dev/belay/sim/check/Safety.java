package dev.belay.sim.check;

import dev.belay.core.model.Among;
import dev.belay.core.report.Report;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Witness;
import dev.belay.sim.world.ApiServer.Answer;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The safety promises of DESIGN.md §4, judged at every write of Belay and after every event. */
public final class Safety implements Witness {

  /** How often a status may be written on account of time alone: what is waited for runs out. */
  private static final int WORDS = 12;

  private final World world;
  private final Hand hand;
  private final Asked asked;
  private final Causes causes;
  private final Revocations revocations;
  private final Owners owners;
  private final List<Ward> wards;
  private long seen = -1;
  private Instant updated = Instant.EPOCH;
  private Instant quietSince = Instant.EPOCH;
  private int words;

  public Safety(World world) {
    this.world = world;
    this.hand = new Hand(world);
    this.asked = new Asked(world);
    var turns = new Turns(world);
    this.causes = new Causes(world);
    this.revocations = new Revocations(world);
    this.owners = new Owners(world);
    this.wards =
        world.parts().stream()
            .map(p -> new Ward(world, p, hand, asked, turns, causes, owners))
            .toList();
    wards.forEach(turns::add);
  }

  /** When Belay last did something, or the truth last changed. */
  public Instant progress() {
    Instant last = asked.progress();
    for (Ward ward : wards) {
      ward.truth().update();
      Instant moved = ward.truth().now().at();
      last = moved.isAfter(last) ? moved : last;
    }
    return last;
  }

  /** What a forced roll-out left standing; empty when nothing. */
  public String lingers() {
    return hand.lingers();
  }

  /** After every event. */
  public void afterEvent() {
    long version = world.api.version();
    for (Ward ward : wards) {
      version += ward.part().raft.changes();
    }
    // Some truths change with time alone: a node comes back, a pod becomes available.
    if (version == seen && world.time.now().isBefore(updated.plusMillis(300))) {
      return;
    }
    seen = version;
    updated = world.time.now();
    hand.update();
    asked.update();
    causes.update();
    wards.forEach(Ward::afterEvent);
  }

  @Override
  public void sends(String instance, Step step) {
    String name = step.fence().name();
    boolean cluster =
        step.fence() instanceof Fence.Cluster
            && world.api.cluster().filter(c -> !c.name().equals(name)).isEmpty();
    boolean known = cluster || ward(step).filter(w -> w.knows(step.fence())).isPresent();
    if (!known) {
      throw new Violation("S14", "\"" + step.what() + "\" is aimed at " + step.fence());
    }
  }

  private Optional<Ward> ward(Step step) {
    return Among.first(wards, w -> w.part().name().equals(step.component()));
  }

  @Override
  public void acts(Deed deed) {
    Instant ready = progress();
    asked.moved();
    if (asked.deletedBefore(deed.looked()) && deed.step() instanceof Step.Disruptive) {
      throw new Violation("S16", "\"" + deed.step().what() + "\" after the cluster was deleted");
    }
    hand.check(deed);
    revocations.check(deed);
    owners.check(deed);
    ward(deed.step()).ifPresent(w -> w.acts(deed, ready));
  }

  @Override
  public void ended(String instance, Step step, Answer answer) {
    // Judged where it takes effect: acts, recorded.
  }

  @Override
  public void recorded(ClusterObject before, Snapshot basis, Report report, Instant looked) {
    asked.waitsForPerson(
        basis.memory().run().filter(r -> r.waitingSince().isPresent()).isPresent());
    boolean completes =
        rolls(basis.memory()) && !rolls(report.memory()) && !basis.subject().deleting();
    hand.recorded(basis, report, completes);
    revocations.recorded(basis, report.memory());
    owners.recorded(before, basis.self(), report.memory(), looked);
    quiet();
    wards.forEach(w -> w.recorded(basis, report, looked));
  }

  /** L1: where nothing moves, and nobody asks for anything, there is soon nothing to write. */
  private void quiet() {
    Instant moved = progress();
    // What checks and actions are answered is news of its own, and so is each crash in a loop.
    boolean disturbed =
        !world.weather.clearFor(Duration.ofSeconds(5))
            || Among.any(world.setup.parts(), p -> p.checks() || p.actions())
            || Among.any(
                world.parts(),
                part -> Among.any(part.pods(), p -> p.state().trouble().isPresent()));
    words = moved.equals(quietSince) && !disturbed ? words + 1 : 0;
    quietSince = moved;
    if (words > WORDS) {
      throw new Violation("L1", words + " status writes while nothing moved");
    }
  }

  private static boolean rolls(Memory memory) {
    return Among.any(memory.components().values(), c -> c.target().isPresent());
  }

  @Override
  public void broke(String instance, RuntimeException bug) {
    throw new Violation("BUG", instance + ": " + bug + " at " + bug.getStackTrace()[0]);
  }
}
