package dev.belay.sim.check;

import dev.belay.core.plan.Step;
import dev.belay.core.report.Report;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.sim.operator.Witness;
import dev.belay.sim.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The safety promises of DESIGN.md §4, judged at every write of Belay and after every event. */
public final class Safety implements Witness {

  private final World world;
  private final Hand hand;
  private final Asked asked;
  private final List<Ward> wards;
  private long seen = -1;
  private Instant updated = Instant.EPOCH;

  public Safety(World world) {
    this.world = world;
    this.hand = new Hand(world);
    this.asked = new Asked(world);
    var turns = new Turns(world);
    this.wards = world.parts().stream().map(p -> new Ward(world, p, hand, asked, turns)).toList();
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
    wards.forEach(Ward::afterEvent);
  }

  @Override
  public void sends(String instance, Step step) {
    String name = step.fence().name();
    boolean cluster =
        step.fence().kind().equals("StatefulCluster")
            && world.api.cluster().filter(c -> !c.name().equals(name)).isEmpty();
    boolean known = cluster || ward(step).filter(w -> w.knows(step.fence())).isPresent();
    if (!known) {
      throw new Violation("S14", "\"" + step.what() + "\" is aimed at " + step.fence());
    }
  }

  private Optional<Ward> ward(Step step) {
    return wards.stream().filter(w -> w.part().name().equals(step.component())).findFirst();
  }

  @Override
  public void acts(Deed deed) {
    Instant ready = progress();
    asked.moved();
    if (asked.deletedBefore(deed.looked()) && deed.step() instanceof Step.Disruptive) {
      throw new Violation("S16", "\"" + deed.step().what() + "\" after the cluster was deleted");
    }
    hand.check(deed);
    ward(deed.step()).ifPresent(w -> w.acts(deed, ready));
  }

  @Override
  public void recorded(String instance, Snapshot basis, Report report, Instant looked) {
    asked.waitsForPerson(
        basis.memory().run().filter(r -> r.waitingSince().isPresent()).isPresent());
    boolean completes =
        rolls(basis.memory()) && !rolls(report.memory()) && !basis.subject().deleting();
    hand.recorded(basis, report, completes);
    wards.forEach(w -> w.recorded(basis, report, looked));
  }

  private static boolean rolls(Memory memory) {
    return memory.components().values().stream().anyMatch(c -> c.target().isPresent());
  }

  @Override
  public void broke(String instance, RuntimeException bug) {
    throw new Violation("BUG", instance + ": " + bug + " at " + bug.getStackTrace()[0]);
  }
}
