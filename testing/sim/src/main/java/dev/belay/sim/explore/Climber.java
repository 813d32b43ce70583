package dev.belay.sim.explore;

import dev.belay.core.decide.Planner;
import dev.belay.core.report.Report;
import dev.belay.core.report.Reporter;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.explore.SmallWorld.Phase;
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
    return decision instanceof Perform
        ? w
        : w.with(w.places().stream().map(Climber::looked).toList());
  }

  private static Place looked(Place place) {
    boolean broken =
        place.set().observed()
            && place.seats().stream()
                .anyMatch(
                    s -> s.phase() == Phase.TROUBLE && s.revision() == place.set().template());
    return place.judged(place.failed() || (broken && place.anyOutdated()), place.good());
  }

  /** Carries out a step whose fence holds. */
  SmallWorld act(SmallWorld w, Step step) {
    int p = place(step);
    Place place = w.place(p);
    return switch (step) {
      case Step.PartitionWrite write ->
          Canon.moved(
              w.with(p, place.with(place.set().at(write.partition()))),
              Fence.Kind.STATEFUL_SET,
              Terrain.name(p));
      case Step.RecreatePod pod -> {
        int i = seat(pod.pod());
        yield nature.seat(w, p, i, place.seats().get(i).become(Phase.TERMINATING));
      }
      case Step.TransferLeader transfer -> {
        int to = seat(transfer.to());
        yield place.seats().get(to).ready() ? nature.led(w, p, to) : w;
      }
      case Step.Revoke revoke -> Canon.moved(w, revoke.fence().kind(), revoke.fence().name());
      default -> throw new IllegalStateException("nothing here does " + step.what());
    };
  }

  /** Whose step it is. */
  static int place(Step step) {
    return Terrain.placeOf(step.component());
  }

  static int seat(String pod) {
    return Integer.parseInt(pod.substring(pod.lastIndexOf('-') + 1));
  }
}
