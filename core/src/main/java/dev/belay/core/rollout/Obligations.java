package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.FAILURE;
import static dev.belay.core.state.Objection.Weight.PROGRESS;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Action;
import dev.belay.core.model.Action.Moment;
import dev.belay.core.model.Among;
import dev.belay.core.model.Check;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Version;
import dev.belay.core.rules.Aim;
import dev.belay.core.rules.MemberState;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.rules.Versions;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Memory.Obligation.Progress;
import dev.belay.core.state.Memory.Run;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Objection;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What is done for the user around an upgrade, and taken back again on every way out of it. */
public record Obligations(Rollout rollout) {

  /** After how long what could not be taken back is tried again. */
  static final Duration AGAIN = Duration.ofSeconds(10);

  /** One that is new and not ready for longer may be so for want of what is to be taken back. */
  private static final Duration STARTING = Duration.ofSeconds(30);

  /**
   * The next thing to be done at this moment, or what it waits for; empty when all is done. A
   * member that is gone serves nobody and answers nobody: there is nothing to ask of it.
   */
  public Optional<Decision> due(Moment moment, Optional<Pod> pod) {
    List<Action> actions = rollout.component().spec().actions();
    for (Action action : actions) {
      boolean asks =
          action.on() != Check.On.TARGET
              || pod.filter(p -> MemberState.gone(rollout.component(), p)).isEmpty();
      Optional<Decision> due =
          action.moment() == moment && isFor(action) && asks ? due(action, pod) : Optional.empty();
      if (due.isPresent()) {
        return due;
      }
    }
    return Optional.empty();
  }

  /**
   * What was done for members that are back or will not go after all, and what is to be done for
   * those that serve now.
   */
  Optional<Decision> aroundMembers(Optional<Pod> target) {
    return takeBackExceptFor(target).or(this::afterMembers);
  }

  public Optional<Decision> takeBackExceptFor(Optional<Pod> target) {
    return mine()
        .filter(o -> o.moment() == Moment.BEFORE_MEMBER && isOver(o, target))
        .flatMap(o -> takeBackMidway(o).stream())
        .findFirst();
  }

  private Optional<Decision> afterMembers() {
    if (rollout.course().sentBack() && rollout.memory().target().isEmpty()) {
      return Optional.empty();
    }
    for (Pod pod : rollout.course().arrived()) {
      Optional<Decision> due =
          serves(pod) ? due(Moment.AFTER_MEMBER, Optional.of(pod)) : Optional.empty();
      if (due.isPresent()) {
        return due;
      }
    }
    return Optional.empty();
  }

  /** Every member is there and serves. */
  Optional<Decision> afterComponent() {
    return due(Moment.AFTER_COMPONENT, Optional.empty())
        .or(() -> takeBackAll(Moment.BEFORE_COMPONENT));
  }

  /** Every component is there and serves. */
  public Optional<Decision> afterUpgrade() {
    return due(Moment.AFTER_UPGRADE, Optional.empty()).or(() -> takeBackAll(Moment.BEFORE_UPGRADE));
  }

  /** Nobody goes on for now, or at all: whatever can be taken back is. */
  public Optional<Decision> takeBackAll() {
    return mine().flatMap(o -> takeBackMidway(o).stream()).findFirst();
  }

  /** Of one that is starting, that it does not answer yet hides nothing else that is said of it. */
  private Optional<Decision> takeBackMidway(Obligation obligation) {
    return takeBack(obligation).filter(d -> d instanceof Perform || !isStarting(obligation));
  }

  /** Whoever leaves does not wait for ever: what could not be taken back is said and left. */
  public Optional<Decision> takeBackToLeave() {
    return mine()
        .filter(o -> result(o, true).filter(r -> r.state() == Action.State.FAILED).isEmpty())
        .filter(o -> result(o, true).isPresent() || !isStarting(o))
        .flatMap(o -> takeBack(o).stream())
        .findFirst();
  }

  /** What is still to be taken back from members that are not up, and so were never asked. */
  public Stream<String> unheard() {
    return mine()
        .filter(o -> (isStarting(o) || !isReachable(o)) && result(o, true).isEmpty())
        .map(o -> o.undo() + " for " + o.object());
  }

  /** The last word to those that did not get ready in the time they had. */
  public Optional<Decision> askOnce() {
    return mine()
        .filter(o -> result(o, true).isEmpty())
        .flatMap(o -> takeBack(o).stream())
        .findFirst();
  }

  /** In the place of the one it was done to, and not ready. */
  private boolean isStarting(Obligation obligation) {
    return !obligation.uid().isEmpty()
        && pod(obligation).filter(p -> !p.ready() && !p.uid().equals(obligation.uid())).isPresent();
  }

  private Optional<Decision> takeBackAll(Moment moment) {
    return mine().filter(o -> o.moment() == moment).flatMap(o -> takeBack(o).stream()).findFirst();
  }

  private Stream<Obligation> mine() {
    return rollout.memory().obligations().stream().filter(Obligation::open);
  }

  private boolean isFor(Action action) {
    // Before the first member of all, the templates of later components are not written yet.
    Optional<String> ahead =
        action.moment() == Moment.BEFORE_UPGRADE
            ? Aim.of(rollout.snapshot(), rollout.component()).map(Aim::version)
            : Optional.empty();
    String version =
        ahead.or(() -> Versions.ofTemplate(rollout.workload()).asOptional()).orElse("");
    return action.versions().isEmpty()
        || Among.any(action.versions(), v -> Version.matches(v, version));
  }

  private Optional<Decision> due(Action action, Optional<Pod> pod) {
    Obligation wanted = obligation(action, pod);
    if (asked().isEmpty()) {
      return waiting(wanted, "the upgrade is being written down", PROGRESS);
    }
    if (mine().anyMatch(o -> o.sharesUndo(wanted) && isSending(o, true))) {
      return waiting(wanted, wanted.undo() + " is being sent", PROGRESS);
    }
    Optional<Obligation> known =
        Among.first(rollout.memory().obligations(), o -> o.id().equals(wanted.id()));
    Optional<Action.Result> result = result(wanted, false);
    if (known.isEmpty()) {
      return Optional.of(send(action, wanted));
    }
    return switch (known.get().progress()) {
      case BEGUN ->
          switch (result.map(Action.Result::state).orElse(null)) {
            case null -> Optional.of(send(action, wanted));
            case SENDING -> waiting(wanted, action.what() + " is being sent", PROGRESS);
            case PASSED -> Optional.empty();
            case FAILED -> failed(wanted, result);
          };
      case DONE -> Optional.empty();
      case FAILED ->
          triedAgain(known.get()) ? Optional.of(send(action, wanted)) : failed(wanted, result);
      case UNDOING ->
          takeBack(known.get())
              .or(() -> waiting(wanted, known.get().undo() + " is taken back first", PROGRESS));
    };
  }

  /** Named by what it is, and not by its place: the list may change midway. */
  private Obligation obligation(Action action, Optional<Pod> pod) {
    String object = pod.map(Pod::name).orElse(rollout.workload().name());
    String uid = pod.map(Pod::uid).orElse("");
    boolean whole =
        action.moment() == Moment.BEFORE_UPGRADE || action.moment() == Moment.AFTER_UPGRADE;
    String course =
        whole
            ? rollout.snapshot().memory().run().map(Run::to).orElse("")
            : rollout.course().wanted();
    String moment = action.moment().name().toLowerCase(Locale.ROOT).replace('_', '-');
    String request = Integer.toHexString((action.what() + " / " + action.undo()).hashCode());
    return new Obligation(
        moment + "-" + request + "/" + (uid.isEmpty() ? object : uid) + "/" + course,
        action.moment(),
        object,
        uid,
        action.what(),
        action.undo(),
        Progress.BEGUN,
        asked().orElse(Instant.EPOCH));
  }

  /**
   * When a person last wanted this upgrade, or another try of it; empty before it is written down.
   * Two looks at the same world want the same step.
   */
  private Optional<Instant> asked() {
    return rollout
        .snapshot()
        .memory()
        .run()
        .flatMap(_ ->
            rollout.snapshot().memory().components().values().stream()
                .flatMap(c -> c.target().stream())
                .map(Target::tried)
                .max(Comparator.naturalOrder()));
  }

  private Decision send(Action action, Obligation obligation) {
    var fence = new Fence.Request(obligation.object(), obligation.id(), false);
    return allowed(new Step.Act(rollout.component().name(), fence, action, obligation));
  }

  private Decision allowed(Step step) {
    List<Objection> objections = rollout.objections(step);
    return objections.isEmpty() ? new Perform(step) : Decision.because(objections);
  }

  /** A person asked for another try after it had failed. */
  private boolean triedAgain(Obligation obligation) {
    return asked().filter(obligation.since()::isBefore).isPresent();
  }

  private Optional<Decision> failed(Obligation obligation, Optional<Action.Result> result) {
    String reading = result.map(Action.Result::reading).orElse("it did not succeed");
    return Optional.of(
        Decision.because(
            List.of(
                Reasons.ACTIONS_SUCCEED.objection(
                    obligation.object(),
                    "ActionFailed: " + obligation.what() + ", " + reading,
                    "make it answer as expected, then ask for another try: belay retry "
                        + rollout.snapshot().subject().name(),
                    FAILURE))));
  }

  /** To a member it is sent when that can answer: whoever does not run cannot. */
  private Optional<Decision> takeBack(Obligation obligation) {
    if (!isReachable(obligation)) {
      return Optional.empty();
    }
    // It is the member that is told, not its pod: what it was told as another pod goes with it.
    if (mine().anyMatch(o -> o.sharesUndo(obligation) && isSending(o, false))) {
      return waiting(obligation, obligation.what() + " is still being sent", PROGRESS);
    }
    Optional<Action.Result> result =
        result(obligation, true)
            .filter(_ ->
                obligation.progress() == Progress.UNDOING
                    || obligation.progress() == Progress.FAILED);
    Action.State state = result.map(Action.Result::state).orElse(null);
    String answer = result.map(Action.Result::reading).orElse("it could not be sent");
    var givingUp = GivingUp.of(rollout, obligation);
    if (state != Action.State.PASSED && givingUp.isInVain()) {
      boolean sending = state == Action.State.SENDING;
      return Optional.of(
          givingUp.isAgreed() && !sending
              ? new Perform(givingUp.leave())
              : sending || sentLately(GivingUp.AGAIN) ? givingUp.hold(answer) : undo(obligation));
    }
    return switch (state) {
      case null -> Optional.of(undo(obligation));
      case SENDING -> waiting(obligation, obligation.undo() + " is being sent", PROGRESS);
      case PASSED -> Optional.empty();
      case FAILED ->
          sentLately(AGAIN)
              ? waiting(obligation, obligation.undo() + " is not taken back: " + answer, WAIT)
              : Optional.of(undo(obligation));
    };
  }

  /** A member that was drained is not ready for that very reason, and runs. */
  private boolean isReachable(Obligation obligation) {
    return obligation.uid().isEmpty() || pod(obligation).filter(Obligations::runs).isPresent();
  }

  private static boolean runs(Pod pod) {
    return !pod.terminating() && pod.trouble().filter(Pod.Trouble::stopped).isEmpty();
  }

  private boolean sentLately(Duration lately) {
    return rollout
        .snapshot()
        .memory()
        .step()
        .map(RecordedStep::since)
        .filter(since -> rollout.snapshot().at().isBefore(since.plus(lately)))
        .isPresent();
  }

  private Decision undo(Obligation obligation) {
    return allowed(GivingUp.of(rollout, obligation).step());
  }

  private Optional<Decision> waiting(
      Obligation obligation, String reading, Objection.Weight weight) {
    return Optional.of(
        new Wait(
            List.of(
                Reasons.ACTIONS_SUCCEED.objection(
                    obligation.object(),
                    reading,
                    weight == PROGRESS
                        ? "wait for the answer"
                        : "see that the member answers it well; it is sent again every "
                            + AGAIN.toSeconds()
                            + " seconds",
                    weight))));
  }

  /**
   * Whoever it was done for is not the one that goes next. One that is in its place was not drained
   * and is let start; unless what was done survives a restart, and keeps it from getting ready.
   */
  private boolean isOver(Obligation obligation, Optional<Pod> target) {
    return !isKeptFor(target, obligation)
        && pod(obligation)
            .filter(Obligations::runs)
            .filter(p ->
                p.ready()
                    || p.uid().equals(obligation.uid())
                    || p.created().plus(STARTING).isBefore(rollout.snapshot().at()))
            .isPresent();
  }

  /**
   * What a member was told outlives its pod: done anew for the pod that goes next, it would be
   * taken from that one too if it were taken back for the last one.
   */
  private boolean isKeptFor(Optional<Pod> target, Obligation obligation) {
    Optional<String> uid = target.filter(p -> p.name().equals(obligation.object())).map(Pod::uid);
    return uid.filter(next ->
            next.equals(obligation.uid())
                || mine().anyMatch(o -> o.uid().equals(next) && o.moment() == obligation.moment()))
        .isPresent();
  }

  /** Written down or just seen: the next one must not go in between. */
  private boolean serves(Pod pod) {
    return (rollout.memory().servingSince().containsKey(pod.uid())
            || UpdatedMembers.serving(rollout.snapshot(), rollout.component(), pod).isEmpty())
        && !UpdatedMembers.untouched(rollout.memory(), pod)
        && !new Unmoved(rollout.snapshot(), rollout.component()).has(pod);
  }

  private Optional<Pod> pod(Obligation obligation) {
    return Among.first(rollout.component().podList(), p -> p.name().equals(obligation.object()));
  }

  private boolean isSending(Obligation obligation, boolean undo) {
    return result(obligation, undo).filter(r -> r.state() == Action.State.SENDING).isPresent();
  }

  private Optional<Action.Result> result(Obligation obligation, boolean undo) {
    return rollout.component().acts().stream()
        .filter(r -> r.id().equals(obligation.id()) && r.undo() == undo)
        .reduce((_, last) -> last);
  }
}
