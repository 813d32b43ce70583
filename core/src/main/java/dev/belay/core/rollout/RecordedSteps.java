package dev.belay.core.rollout;

import dev.belay.core.model.Action;
import dev.belay.core.model.Component;
import dev.belay.core.rules.MigrationState;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Command;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Objection;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Recording;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What was written down but may not have happened. An operator that stalled between record and act
 * can still strike while the object is at the state its step was fenced on; so a recorded step is
 * carried out, or revoked by moving that object, before another one is recorded.
 */
public record RecordedSteps(Snapshot snapshot) {

  /** How long after its record a leader transfer may still be sent; it has no fence to move. */
  static final Duration TRANSFER_LIFE = Command.LIFE;

  private static final Pattern NUMBER = Pattern.compile("\\d+");

  public Decision settleBefore(Decision next) {
    Optional<RecordedStep> recorded = snapshot.memory().step();
    if (recorded.isEmpty() || !alive(recorded.get()) || isThat(next, recorded.get())) {
      return next;
    }
    RecordedStep step = recorded.get();
    if (step.fence() instanceof Fence.ObjectVersion object) {
      return new Perform(Recording.revocation(step, object));
    }
    var settles =
        new Wait(
            List.of(
                Reasons.RECORDED_STEP_SETTLES.objection(
                    step.object(),
                    "\"" + step.what() + "\" was recorded and may still be carried out",
                    "wait for it",
                    Objection.Weight.PROGRESS)));
    // A failure is written down meanwhile: it may have gone by when the step has settled.
    return settles.also(next.failures());
  }

  /**
   * Whether this look shows the object in an older state than the one the step was decided on: then
   * it cannot say whether the step was carried out. Versions of resources are numbers that grow;
   * what is none is not compared.
   */
  public boolean outrunTheLook() {
    return snapshot.memory().step().map(RecordedStep::fence).stream()
        .anyMatch(f ->
            f instanceof Fence.ObjectVersion written
                && shown(written.kind()).anyMatch(shown -> isOlder(shown, written)));
  }

  /** The objects of a kind in the state in which this look shows them. */
  private Stream<Fence.ObjectVersion> shown(Fence.Kind kind) {
    return switch (kind) {
      case STATEFUL_SET, DEPLOYMENT ->
          components().flatMap(c -> c.workload().asOptional().stream()).map(Fence::of);
      case POD -> components().flatMap(c -> c.podList().stream()).map(Fence::of);
    };
  }

  private static boolean isOlder(Fence.ObjectVersion shown, Fence.ObjectVersion written) {
    boolean same = shown.kind() == written.kind() && shown.name().equals(written.name());
    return same
        && number(shown)
            .filter(now -> number(written).filter(then -> now.compareTo(then) < 0).isPresent())
            .isPresent();
  }

  private static Optional<BigInteger> number(Fence.ObjectVersion object) {
    return Optional.of(object.resourceVersion())
        .filter(v -> NUMBER.matcher(v).matches())
        .map(BigInteger::new);
  }

  /** Whether {@code next} is the recorded step, wanted again on the same state of the world. */
  static boolean isThat(Decision next, RecordedStep recorded) {
    return next instanceof Perform(Step step)
        && Recording.of(step).filter(recorded.step()::equals).isPresent();
  }

  /** Whether the object still is what the step was decided on, and the step may still be sent. */
  boolean alive(RecordedStep step) {
    boolean inTime = snapshot.at().isBefore(step.since().plus(TRANSFER_LIFE));
    return switch (step.fence()) {
      case Fence.ObjectVersion object -> shown(object.kind()).anyMatch(object::equals);
      case Fence.LeaderTerm leader -> inTime && leads(step, leader);
      case Fence.MemberTerm member -> inTime && unchanged(step, member);
      case Fence.Request request -> inTime && isOwed(request) && unanswered(request);
      case Fence.Migration migration ->
          inTime && new MigrationState(snapshot).mayStillBegin(migration, step.since());
      case Fence.Verdict verdict ->
          inTime && new MigrationState(snapshot).mayStillBeDecided(verdict);
      case Fence.Cluster _ -> false;
    };
  }

  /**
   * What an action did is recorded with its step and forgotten when its undo was answered: then
   * nothing is on its way.
   */
  private boolean isOwed(Fence.Request request) {
    return snapshot.memory().components().values().stream()
        .flatMap(c -> c.obligations().stream())
        .anyMatch(o -> request.id().equals(o.id()));
  }

  /** Sent by this process and answered, it cannot come any more. */
  private boolean unanswered(Fence.Request request) {
    return components()
        .flatMap(c -> c.acts().stream())
        .filter(r -> request.id().equals(r.id()) && request.undo() == r.undo())
        .allMatch(r -> r.state() == Action.State.SENDING);
  }

  /** The driver drops a command whose term is over; where that cannot be seen it may still come. */
  private boolean unchanged(RecordedStep step, Fence.MemberTerm member) {
    return itsOwn(step)
        .flatMap(c -> c.topology().asOptional().stream())
        .flatMap(t -> t.member(member.name()).stream())
        .map(m -> m.reading(Command.TERM))
        .noneMatch(term -> term.asOptional().filter(t -> !t.equals(member.term())).isPresent());
  }

  private boolean leads(RecordedStep step, Fence.LeaderTerm leader) {
    return itsOwn(step)
        .flatMap(c -> c.topology().asOptional().stream())
        .flatMap(t -> t.leader().asOptional().stream())
        .anyMatch(l -> Fence.of(l).equals(leader));
  }

  /**
   * The component that a step is about: members of two systems may have the same id and term. When
   * the spec names it no more, it may be any of them.
   */
  private Stream<Component> itsOwn(RecordedStep step) {
    String name = step.step().component();
    boolean named = components().anyMatch(c -> c.name().equals(name));
    return components().filter(c -> !named || c.name().equals(name));
  }

  private Stream<Component> components() {
    return snapshot.components().stream();
  }
}
