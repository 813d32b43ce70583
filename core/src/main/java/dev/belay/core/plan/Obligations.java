package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.FAILURE;
import static dev.belay.core.plan.Objection.Weight.PROGRESS;
import static dev.belay.core.plan.Objection.Weight.WAIT;

import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Decision.Wait;
import dev.belay.core.snapshot.Action;
import dev.belay.core.snapshot.Action.Moment;
import dev.belay.core.snapshot.Check;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Memory.Fence;
import dev.belay.core.snapshot.Memory.Obligation;
import dev.belay.core.snapshot.Memory.Obligation.Progress;
import dev.belay.core.snapshot.Memory.RecordedStep;
import dev.belay.core.snapshot.Memory.Run;
import dev.belay.core.snapshot.Memory.Target;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What is done for the user around an upgrade, and taken back again on every way out of it. */
record Obligations(Rollout rollout) {

  /** After how long what could not be taken back is tried again. */
  static final Duration AGAIN = Duration.ofSeconds(10);

  /**
   * The next thing to be done at this moment, or what it waits for; empty when all is done. A
   * member that is gone serves nobody and answers nobody: there is nothing to ask of it.
   */
  Optional<Decision> due(Moment moment, Optional<Pod> pod) {
    List<Action> actions = rollout.component().spec().actions();
    return Stream.iterate(0, i -> i + 1)
        .limit(actions.size())
        .filter(i -> actions.get(i).moment() == moment && isFor(actions.get(i)))
        .filter(i ->
            actions.get(i).on() != Check.On.TARGET
                || pod.filter(p -> GroupRules.gone(rollout.component(), p)).isEmpty())
        .flatMap(i -> due(actions.get(i), i, pod).stream())
        .findFirst();
  }

  /**
   * What was done for members that are back or will not go after all, and what is to be done for
   * those that serve now.
   */
  Optional<Decision> aroundMembers(Optional<Pod> target) {
    return mine()
        .filter(o -> o.moment() == Moment.BEFORE_MEMBER && isOver(o, target))
        .flatMap(o -> takeBack(o).stream())
        .findFirst()
        .or(() ->
            rollout.course().arrived().stream()
                .filter(this::serves)
                .flatMap(p -> due(Moment.AFTER_MEMBER, Optional.of(p)).stream())
                .findFirst());
  }

  /** Every member is there and serves. */
  Optional<Decision> afterComponent() {
    return due(Moment.AFTER_COMPONENT, Optional.empty())
        .or(() -> takeBackAll(Moment.BEFORE_COMPONENT));
  }

  /** Every component is there and serves. */
  Optional<Decision> afterUpgrade() {
    return due(Moment.AFTER_UPGRADE, Optional.empty()).or(() -> takeBackAll(Moment.BEFORE_UPGRADE));
  }

  /** Nobody goes on for now, or at all: whatever can be taken back is. */
  Optional<Decision> takeBackAll() {
    return mine().flatMap(o -> takeBack(o).stream()).findFirst();
  }

  /** Whoever leaves does not wait for ever: what could not be taken back is said and left. */
  Optional<Decision> takeBackToLeave() {
    return mine()
        .filter(o -> result(o, true).filter(r -> r.state() == Action.State.FAILED).isEmpty())
        .flatMap(o -> takeBack(o).stream())
        .findFirst();
  }

  /** What is still to be taken back from members that are not up, and so were never asked. */
  Stream<String> unheard() {
    return mine()
        .filter(o -> !isReachable(o) && result(o, true).isEmpty())
        .map(o -> o.undo() + " for " + o.object());
  }

  private Optional<Decision> takeBackAll(Moment moment) {
    return mine().filter(o -> o.moment() == moment).flatMap(o -> takeBack(o).stream()).findFirst();
  }

  /** A member other than this one that still has something to be taken back from. */
  static Optional<Obligation> otherThan(Snapshot snapshot, Component component, Pod pod) {
    List<Obligation> open =
        snapshot.memory().component(component.name()).obligations().stream()
            .filter(o -> o.moment() == Moment.BEFORE_MEMBER && o.open())
            .filter(o -> !o.object().equals(pod.name()) && !isTakenBack(component, o))
            .toList();
    long members = open.stream().map(Obligation::object).distinct().count();
    return open.stream().filter(_ -> members > PodRules.slack(component)).findFirst();
  }

  private static boolean isTakenBack(Component component, Obligation obligation) {
    return obligation.progress() == Progress.UNDOING
        && component.acts().stream()
            .anyMatch(r ->
                r.id().equals(obligation.id()) && r.undo() && r.state() == Action.State.PASSED);
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
        || action.versions().stream().anyMatch(v -> VersionPath.matches(v, version));
  }

  private Optional<Decision> due(Action action, int index, Optional<Pod> pod) {
    Obligation wanted = obligation(action, index, pod);
    if (asked().isEmpty()) {
      return waiting(wanted, "the upgrade is being written down", PROGRESS);
    }
    Optional<Obligation> known =
        rollout.memory().obligations().stream().filter(o -> o.id().equals(wanted.id())).findFirst();
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

  private Obligation obligation(Action action, int index, Optional<Pod> pod) {
    String object = pod.map(Pod::name).orElse(rollout.workload().name());
    String uid = pod.map(Pod::uid).orElse("");
    boolean whole =
        action.moment() == Moment.BEFORE_UPGRADE || action.moment() == Moment.AFTER_UPGRADE;
    String course =
        whole
            ? rollout.snapshot().memory().run().map(Run::to).orElse("")
            : rollout.course().wanted();
    String moment = action.moment().name().toLowerCase(Locale.ROOT).replace('_', '-');
    return new Obligation(
        "%s-%d/%s/%s".formatted(moment, index, uid.isEmpty() ? object : uid, course),
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
    var fence = new Fence("Action", obligation.object(), obligation.id());
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
                Precondition.ACTIONS_SUCCEED.objection(
                    obligation.object(),
                    "ActionFailed: " + obligation.what() + ", " + reading,
                    "make it answer as expected, then ask for another try: belay retry "
                        + rollout.snapshot().subject().name(),
                    FAILURE))));
  }

  /** To a member it is sent when that is up: whoever does not run has nothing to take back yet. */
  private Optional<Decision> takeBack(Obligation obligation) {
    boolean sending =
        result(obligation, false).filter(r -> r.state() == Action.State.SENDING).isPresent();
    if (!isReachable(obligation)) {
      return Optional.empty();
    }
    if (sending) {
      return waiting(obligation, obligation.what() + " is still being sent", PROGRESS);
    }
    Optional<Action.Result> result =
        result(obligation, true)
            .filter(_ ->
                obligation.progress() == Progress.UNDOING
                    || obligation.progress() == Progress.FAILED);
    return switch (result.map(Action.Result::state).orElse(null)) {
      case null -> Optional.of(undo(obligation));
      case SENDING -> waiting(obligation, obligation.undo() + " is being sent", PROGRESS);
      case PASSED -> Optional.empty();
      case FAILED ->
          sentLately()
              ? waiting(
                  obligation,
                  obligation.undo() + " is not taken back: " + result.orElseThrow().reading(),
                  WAIT)
              : Optional.of(undo(obligation));
    };
  }

  private boolean isReachable(Obligation obligation) {
    return obligation.uid().isEmpty() || pod(obligation).filter(Pod::ready).isPresent();
  }

  private boolean sentLately() {
    return rollout
        .snapshot()
        .memory()
        .step()
        .map(RecordedStep::since)
        .filter(since -> rollout.snapshot().at().isBefore(since.plus(AGAIN)))
        .isPresent();
  }

  private Decision undo(Obligation obligation) {
    var fence = new Fence("Action", obligation.object(), obligation.id() + "/undo");
    return allowed(new Step.Undo(rollout.component().name(), fence, obligation));
  }

  private Optional<Decision> waiting(
      Obligation obligation, String reading, Objection.Weight weight) {
    return Optional.of(
        new Wait(
            List.of(
                Precondition.ACTIONS_SUCCEED.objection(
                    obligation.object(), reading, "wait for the answer", weight))));
  }

  /** Whoever it was done for is up, and is not the one that goes next. */
  private boolean isOver(Obligation obligation, Optional<Pod> target) {
    boolean goesNext = target.map(Pod::uid).filter(obligation.uid()::equals).isPresent();
    return !goesNext && pod(obligation).filter(p -> p.ready() && !p.terminating()).isPresent();
  }

  private boolean serves(Pod pod) {
    return rollout.memory().servingSince().containsKey(pod.uid())
        && !PodRules.untouched(rollout.memory(), pod);
  }

  private Optional<Pod> pod(Obligation obligation) {
    return rollout.component().podList().stream()
        .filter(p -> p.name().equals(obligation.object()))
        .findFirst();
  }

  private Optional<Action.Result> result(Obligation obligation, boolean undo) {
    return rollout.component().acts().stream()
        .filter(r -> r.id().equals(obligation.id()) && r.undo() == undo)
        .reduce((_, last) -> last);
  }
}
