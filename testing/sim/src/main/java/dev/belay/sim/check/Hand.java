package dev.belay.sim.check;

import dev.belay.core.report.Report;
import dev.belay.core.report.Report.Condition;
import dev.belay.core.state.Memory.Forced;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** S11: a person's hand on the rope. What is paused or held is let be; force needs consent. */
final class Hand {

  private final World world;
  private boolean used;
  private boolean spent;
  private boolean asking;
  private Instant consented = Instant.EPOCH;

  Hand(World world) {
    this.world = world;
  }

  /** After every event: the annotation asks for one roll-out, and for none before it was away. */
  void update() {
    boolean asked = world.api.cluster().filter(c -> c.spec().force().asked()).isPresent();
    // Until the moment at which it was taken away, it was asked for.
    if ((asked || asking) && !spent) {
      consented = world.time.now();
    }
    if (!asked) {
      used = false;
      spent = false;
    }
    asking = asked;
  }

  /** Whether a person wanted no gates at some moment since the look. */
  boolean consents(Instant looked) {
    update();
    return !consented.isBefore(looked);
  }

  void check(Deed deed) {
    Step step = deed.step();
    if (step instanceof Step.Disruptive || step instanceof Step.SetTemplate) {
      if (pausedSince(deed.looked())) {
        throw new Violation("S11", "\"" + step.what() + "\" although it is paused");
      }
      held(deed)
          .ifPresent(pod -> {
            throw new Violation("S11", "\"" + step.what() + "\" although " + pod + " is held");
          });
    }
    if (step instanceof Step.Force) {
      if (!consents(deed.looked())) {
        throw new Violation("S11", "forced, and nobody asks for it any more");
      }
      used = true;
    }
  }

  /** Paused when the look began, and nothing was asked otherwise since. */
  boolean pausedSince(Instant looked) {
    Optional<ClusterObject> then = world.api.clusterAsOf(looked);
    Optional<ClusterObject> now = world.api.cluster();
    return then.isPresent()
        && now.isPresent()
        && then.get().spec().paused()
        && then.get().generation() == now.get().generation();
  }

  private Optional<String> held(Deed deed) {
    Optional<Part> part =
        world.parts().stream()
            .filter(p -> reached(p, deed.step()).findAny().isPresent())
            .findFirst();
    if (part.isEmpty()) {
      return Optional.empty();
    }
    List<PodObject> then = part.get().store.podsAsOf(deed.looked());
    return reached(part.get(), deed.step())
        .filter(p -> p.state().held())
        .filter(p -> then.stream().anyMatch(o -> o.uid().equals(p.uid()) && o.state().held()))
        .map(PodObject::name)
        .findFirst();
  }

  /** Whom a step takes down; force lets the controller replace all that are outdated above it. */
  private static Stream<PodObject> reached(Part part, Step step) {
    if (step instanceof Step.Force force) {
      return part.name().equals(force.fence().name())
          ? part.outdated().stream()
              .filter(p -> p.ordinal() - part.setup.firstOrdinal() >= force.partition())
          : Stream.empty();
    }
    return part.pods().stream().filter(p -> step.takesDown().filter(p.name()::equals).isPresent());
  }

  /** Force is recorded and visible while it lasts, and ends with its roll-out. */
  void recorded(Snapshot basis, Report report, boolean completes) {
    boolean asked = basis.spec().force().asked();
    boolean active = report.memory().forced().filter(Forced::active).isPresent();
    if (used && !spent && asked && active && !visible(report)) {
      throw new Violation("S11", "a forced roll-out is not shown in the conditions");
    }
    boolean over = completes || report.memory().forced().filter(f -> !f.active()).isPresent();
    if (used && over) {
      spent = true;
    }
  }

  void forces(Report status) {
    boolean recorded = status.memory().forced().filter(Forced::active).isPresent();
    if (!recorded || !visible(status)) {
      throw new Violation("S11", "forced without a word in the status");
    }
  }

  private static boolean visible(Report report) {
    return report.conditions().stream()
        .filter(c -> c.type().equals("Forced"))
        .map(Condition::status)
        .anyMatch("True"::equals);
  }

  /** A force that had its roll-out and stands there as if it had not; empty when it does not. */
  String lingers() {
    Optional<ClusterObject> cluster = world.api.cluster();
    boolean asked = cluster.filter(c -> c.spec().force().asked()).isPresent();
    boolean shown = cluster.flatMap(ClusterObject::status).filter(Hand::visible).isPresent();
    return used && spent && asked && shown ? "the force annotation is not cleared" : "";
  }
}
