package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.HUMAN;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Aim;
import dev.belay.core.rules.Approval;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.Floor;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.rules.UpgradeRules;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Done;
import dev.belay.core.state.Decision.Hold;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Optional;

/** What one component would do next if it were its turn: taken over, forward, back, or at rest. */
public record Passage(Rollout rollout) {

  /** A failure is written down whatever is spoken of: it may have gone by when that is over. */
  public Decision next() {
    Decision next = judge();
    return next.failures().isEmpty() ? next.also(failed()) : next;
  }

  /** Of members that hang, others may be the cause: only the stuck ones have failed for certain. */
  private List<Objection> failed() {
    boolean news =
        workload().observed()
            && rollout.course().failsUnnoticed()
            && template().isEmpty()
            && !Forcing.drives(rollout);
    return news ? UpdatedMembers.stuck(snapshot(), component()).stream().toList() : List.of();
  }

  private Decision judge() {
    List<Objection> unfit = Fitness.objections(snapshot(), component(), workload());
    if (!unfit.isEmpty()) {
      return new ByPartition(rollout).retractUnseen().orElseGet(() -> Decision.because(unfit));
    }
    if (!rollout.memory().adopted()) {
      return adopt();
    }
    return tend().orElseGet(() -> rollout.course().withdrawing() ? back() : forward());
  }

  /** The system itself comes first: what was begun in it is brought to an end. */
  private Optional<Decision> tend() {
    return rollout
        .policy()
        .tend(snapshot(), component(), busy())
        .map(command -> rollout.tell(command, true))
        .filter(Perform.class::isInstance);
  }

  /** The member that is down for the upgrade, or else the very one that would be prepared next. */
  private Optional<Pod> busy() {
    Course course = rollout.course();
    boolean goesOn =
        rollout.memory().target().isPresent()
            && !snapshot().spec().paused()
            && course.refused().filter(r -> !r.withdrawing()).isEmpty();
    List<Pod> arrived = course.arrived();
    return Among.first(
            component().podList(), p -> p.terminating() || (!p.ready() && arrived.contains(p)))
        .or(() -> MemberOrder.next(snapshot(), component()))
        .filter(_ -> goesOn);
  }

  /** Another version than the refused one is a way out at any point of the way back. */
  private Decision back() {
    Decision back = new Withdrawal(rollout, rollout.course().refused().orElseThrow()).next();
    return template()
        .map(rollout::setTemplate)
        .map(written -> written instanceof Perform ? written : back.also(written.objections()))
        .orElse(back);
  }

  private Decision forward() {
    boolean rolling = !rollout.course().outdated().isEmpty();
    Optional<Aim> template = template();
    if (template.isPresent()) {
      Decision written = rollout.setTemplate(template.get());
      // A target that is no legal step from every version alive waits until those under way are
      // through.
      boolean waits =
          (rolling || anotherRolls())
              && !(written instanceof Perform)
              && !foreign(written)
              && (!rolling || rollout.course().known())
              && rollout.course().refused().isEmpty();
      if (!waits) {
        return written;
      }
      return (rolling ? new Strategies(rollout).roll() : new Finish(rollout).next())
          .also(written.objections());
    }
    Optional<Decision> stays = staysRefused();
    if (stays.isPresent()) {
      return stays.get();
    }
    if (!rolling) {
      Decision finish = new Finish(rollout).next();
      return finish instanceof Hold ? turnBack().orElse(finish) : finish;
    }
    if (Forcing.active(snapshot()) && !rollout.aborted()) {
      return new Forcing(rollout).next();
    }
    return turnBack().orElseGet(new Strategies(rollout)::roll);
  }

  /** What is there is not what Belay wrote: nobody is taken to it. */
  private static boolean foreign(Decision written) {
    return Among.any(written.objections(), o -> o.is(Reasons.TEMPLATE_OWNED_ELSEWHERE));
  }

  /** On its way to what was asked for before; one that goes to what is asked for now has no say. */
  private boolean anotherRolls() {
    return snapshot().components().stream()
        .filter(c -> !c.name().equals(component().name()))
        .filter(c -> {
          Optional<Aim> aim = Aim.of(snapshot(), c);
          return c.workload()
              .asOptional()
              .filter(w -> aim.filter(a -> a.differsFrom(w)).isPresent())
              .isPresent();
        })
        .map(c -> new Course(snapshot(), c))
        .anyMatch(c -> c.known() && !c.outdated().isEmpty());
  }

  /** Sent back, and nothing of it is left here, or nothing but its template could take it back. */
  private Optional<Decision> staysRefused() {
    Optional<Refused> refused = rollout.course().refused().filter(Refused::withdrawing);
    if (refused.isEmpty()) {
      return Optional.empty();
    }
    boolean still = refused.get().revision().equals(workload().updateRevision());
    boolean touched = still && !rollout.course().arrived().isEmpty();
    boolean back = still || rollout.course().outdated().isEmpty();
    if (touched) {
      return new Floor(snapshot(), component(), rollout.policy())
          .objection()
          .map(closed -> Decision.because(List.of(closed)));
    }
    Decision rest =
        still ? new Done() : back ? new Finish(rollout).next() : new Strategies(rollout).roll();
    return Optional.of(rest instanceof Done ? refusal(refused.get()) : rest);
  }

  private Decision refusal(Refused refused) {
    return Decision.because(List.of(UpgradeRules.refusal(snapshot(), workload().name(), refused)));
  }

  /** A failure with {@code onFailure: Rollback} turns back by itself, where there is a way. */
  public Optional<Decision> turnBack() {
    Optional<Refused> failed =
        rollout.course().refused().filter(r -> r.cause() == Cause.FAILED && !r.withdrawing());
    if (failed.isEmpty() || snapshot().spec().upgrade().onFailure() != Spec.OnFailure.ROLLBACK) {
      return Optional.empty();
    }
    return new Floor(snapshot(), component(), rollout.policy())
        .objection()
        .map(closed ->
            Decision.because(
                List.of(
                    closed,
                    UpgradeRules.refusal(snapshot(), component().spec().workload(), failed.get()))))
        .or(() ->
            Optional.of(new Perform(new Step.TurnBack(component().name(), Fence.of(workload())))));
  }

  /** What to write, when trigger Version wants other images than the template has. */
  private Optional<Aim> template() {
    return Aim.of(snapshot(), component()).filter(aim -> aim.differsFrom(workload()));
  }

  /** A settled set is adopted as it is; anything else is shown and waits for a person. */
  private Decision adopt() {
    String midway = midway();
    String revision = workload().updateRevision();
    var approval =
        new Approval(snapshot(), revision + "/" + component().name() + "/adopt", revision);
    if (midway.isEmpty() || approval.given()) {
      return new Perform(new Step.Adopt(component().name(), Fence.of(workload())));
    }
    String token = approval.token();
    return new Hold(
        List.of(
            Reasons.ADOPTED_MIDWAY.objection(
                workload().name(),
                midway + approval.stale(token),
                "look at the members, then set spec.requests.approve to " + token,
                HUMAN)),
        token,
        revision);
  }

  private String midway() {
    long outdated =
        Among.count(component().podList(), p -> !p.revision().equals(workload().updateRevision()));
    if (outdated > 0) {
      return outdated + " of " + workload().replicas() + " pods are not at the newest revision";
    }
    if (workload().partition() != 0 && !workload().frozen()) {
      return "the partition was set to " + workload().partition() + " by hand";
    }
    if (workload().kind() == Workload.Kind.DEPLOYMENT && workload().frozen()) {
      return "spec.paused of the Deployment was set by somebody; Belay would take it back";
    }
    return template()
        .map(aim -> "the template has other images than the wanted version: " + aim.images())
        .orElse("");
  }

  private Snapshot snapshot() {
    return rollout.snapshot();
  }

  private Component component() {
    return rollout.component();
  }

  private Workload workload() {
    return rollout.workload();
  }
}
