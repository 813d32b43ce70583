package dev.belay.sim.explore;

import dev.belay.core.plan.Decision;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Planner;
import dev.belay.core.plan.Step;
import dev.belay.core.report.Report;
import dev.belay.core.report.Reporter;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.sim.explore.SmallWorld.Phase;
import dev.belay.sim.explore.SmallWorld.Seat;
import java.util.Optional;

/** Belay in a small world: the real planner decides, the real reporter remembers. */
record Climber(Planner planner, Reporter reporter, Glance glance, Nature nature) {

  Climber(Planner planner, Terrain terrain) {
    this(planner, new Reporter(planner), new Glance(terrain), new Nature(terrain));
  }

  /** What was decided, and the world with the record of it but without its effect. */
  record Turn(Decision decision, Report report, SmallWorld recorded) {

    /** The effect that is to follow the record. */
    Optional<Step> effect() {
      return decision instanceof Perform(Step step) && !(step instanceof Step.Recorded)
          ? Optional.of(step)
          : Optional.empty();
    }
  }

  Turn turn(SmallWorld w) {
    Snapshot seen = glance.of(w);
    Decision decision = planner.decide(seen);
    Report report = reporter.report(seen, decision);
    return new Turn(decision, report, looked(w, decision).with(report.memory()));
  }

  /** What whoever looks here can know, by the pods; who has his hands full is not asked. */
  private static SmallWorld looked(SmallWorld w, Decision decision) {
    boolean broken =
        !(decision instanceof Perform)
            && w.set().observed()
            && w.seats().stream()
                .anyMatch(s -> s.phase() == Phase.TROUBLE && s.revision() == w.set().template());
    return w.judged(w.failed() || (broken && w.anyOutdated()), w.good());
  }

  /** Carries out a step whose fence holds. */
  SmallWorld act(SmallWorld w, Step step) {
    return switch (step) {
      case Step.PartitionWrite write ->
          Canon.moved(w.with(w.set().at(write.partition())), "StatefulSet", "db");
      case Step.RecreatePod pod -> {
        int i = seat(pod.pod());
        Seat seat = w.seats().get(i);
        yield nature.seat(w, i, seat.become(Phase.TERMINATING));
      }
      case Step.TransferLeader transfer -> {
        int to = seat(transfer.to());
        yield w.seats().get(to).ready() ? nature.led(w, to) : w;
      }
      case Step.Revoke revoke -> Canon.moved(w, revoke.fence().kind(), revoke.fence().name());
      default -> throw new IllegalStateException("nothing here does " + step.what());
    };
  }

  static int seat(String pod) {
    return Integer.parseInt(pod.substring(pod.lastIndexOf('-') + 1));
  }
}
