package dev.belay.core.loop;

import dev.belay.core.decide.Planner;
import dev.belay.core.model.Among;
import dev.belay.core.report.Report;
import dev.belay.core.report.Reporter;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;

/** One turn for one StatefulCluster: observe, decide, record, act. It never blocks on the world. */
public final class Loop {

  /** Reads everything once, in parallel, under one deadline. A failed read is Unknown. */
  @FunctionalInterface
  public interface Observer {
    Snapshot observe();
  }

  /** Writes the report, on the condition that nobody wrote since the snapshot was taken. */
  @FunctionalInterface
  public interface Recorder {
    Recorded record(Snapshot basis, Report report);
  }

  /**
   * Carries out one step, fenced on what was observed. The result is seen next time. A disruptive
   * step is refused when its basis is older than a few seconds: a resourceVersion says nothing of
   * what the members of the system did meanwhile.
   */
  @FunctionalInterface
  public interface Actor {
    Acted act(Snapshot basis, Step step);
  }

  /** How writing a report ended. */
  public enum Recorded {
    WRITTEN,
    UNCHANGED,
    CONFLICT
  }

  /**
   * How a step ended, as far as can be told now; refused without a detail, it was not even tried.
   */
  public record Acted(boolean accepted, String detail) {}

  /** What a turn did, and how soon to look again if no event comes first. */
  public record Turn(Report report, Decision decision, Acted acted, Duration again) {}

  private static final Acted NOTHING = new Acted(true, "");
  private static final Acted NOT_TRIED = new Acted(false, "");
  private static final Duration AT_ONCE = Duration.ofMillis(20);
  private static final Duration NOT_OURS = Duration.ofSeconds(10);
  private static final Duration SOON = Duration.ofMillis(100);
  private static final Duration AFTER_REFUSAL = Duration.ofMillis(500);
  private static final Duration AFTER_MANY_REFUSALS = Duration.ofSeconds(30);

  private final Planner planner;
  private final Reporter reporter;
  private final Observer observer;
  private final Recorder recorder;
  private final Actor actor;

  public Loop(Planner planner, Observer observer, Recorder recorder, Actor actor) {
    this.planner = planner;
    this.reporter = new Reporter(planner);
    this.observer = observer;
    this.recorder = recorder;
    this.actor = actor;
  }

  public Turn turn() {
    Snapshot seen = observer.observe();
    if (planner.isBehind(seen)) {
      // A cache that is behind the recorded step would take it for dead, and it may still strike.
      seen = observer.observe();
    }
    Decision decision = planner.decide(seen);
    if (decision instanceof Perform(Step.Disruptive step)) {
      // Confirmed by a second look: between the first one and now the world may have moved.
      seen = observer.observe();
      decision = planner.decide(seen);
      if (decision instanceof Perform(Step.Disruptive other) && !other.confirms(step)) {
        return new Turn(reporter.report(seen, decision), decision, NOT_TRIED, AT_ONCE);
      }
    }
    Report report = reporter.report(seen, decision);
    if (notOwner(decision)) {
      return new Turn(report, decision, NOT_TRIED, NOT_OURS);
    }
    Recorded recorded = recorder.record(seen, report);
    if (recorded == Recorded.CONFLICT) {
      return new Turn(report, decision, NOT_TRIED, AT_ONCE);
    }
    if (!(decision instanceof Perform(Step step))) {
      // What was written down just now may be all that the next step was waiting for.
      boolean news = decision instanceof Decision.Hold && recorded == Recorded.WRITTEN;
      return new Turn(report, decision, NOTHING, news ? SOON : patience(decision));
    }
    if (step instanceof Step.Recorded) {
      return new Turn(report, decision, NOTHING, AT_ONCE);
    }
    if (recorded != Recorded.WRITTEN) {
      throw new IllegalStateException("a step must be written down before it is taken: " + step);
    }
    Acted acted = actor.act(seen, step);
    return new Turn(report, decision, acted, acted.accepted() ? AT_ONCE : afterRefusal(report));
  }

  /**
   * What was refused once is soon tried again; what is refused again and again (a missing right, a
   * look that takes too long) ever more rarely. The attempts are in the record, so that a restart
   * does not begin anew, and an event still makes the next turn come at once.
   */
  private static Duration afterRefusal(Report report) {
    int attempts = report.memory().step().map(RecordedStep::attempts).orElse(1);
    int doublings = Math.clamp(attempts - 1, 0, 6);
    Duration pause = AFTER_REFUSAL.multipliedBy(1L << doublings);
    return pause.compareTo(AFTER_MANY_REFUSALS) < 0 ? pause : AFTER_MANY_REFUSALS;
  }

  /** An operator that does not own a cluster does not write its status either. */
  public static boolean notOwner(Decision decision) {
    return Among.any(
        decision.objections(), o -> o.is(Reasons.OWNED_ELSEWHERE) || o.is(Reasons.NOT_SELECTED));
  }

  /**
   * Events drive the loop; this is the fallback, and the pace at which the system itself is asked.
   */
  private static Duration patience(Decision decision) {
    return switch (decision) {
      // Who has its place back is told by an event; a thousand that wait need not ask each second.
      case Decision.Wait wait when Planner.waitsForOthers(wait) -> Duration.ofSeconds(10);
      case Decision.Wait wait ->
          wait.objections().getFirst().weight() == Weight.PROGRESS
              ? Duration.ofMillis(500)
              : Duration.ofSeconds(1);
      case Decision.Hold _ -> Duration.ofSeconds(5);
      case Decision.Done _ -> Duration.ofSeconds(10);
      case Perform _ -> AT_ONCE;
    };
  }
}
