package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.PROGRESS;

import dev.belay.core.model.Among;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.PodRules;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Forced.State;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One roll-out without gates, because a person said so: for a system that is down anyway and could
 * never pass them. Pausing still stops it.
 */
public record Forcing(Rollout rollout) {

  /** How long the removal of the annotation may take; what is there later was put back. */
  public static final Duration REMOVAL = Duration.ofSeconds(5);

  public static boolean active(Snapshot snapshot) {
    return snapshot.spec().force().asked()
        && !snapshot.spec().paused()
        && snapshot.memory().forced().map(f -> f.active() && !retargeted(snapshot)).orElse(true);
  }

  /** Whether a person lets all members of a component through: what is released is meant to be. */
  public static boolean drives(Rollout rollout) {
    return active(rollout.snapshot()) && !rollout.aborted() && !rollout.course().sentBack();
  }

  /** It was for the roll-out it was asked for, and for no other. */
  public static boolean retargeted(Snapshot snapshot) {
    return Among.any(
        snapshot.components(),
        c ->
            c.workload()
                .asOptional()
                .filter(Workload::observed)
                .filter(w ->
                    snapshot
                        .memory()
                        .component(c.name())
                        .target()
                        .filter(t -> !t.revision().equals(w.updateRevision()))
                        .isPresent())
                .isPresent());
  }

  /** Whether something is done, or waited for, only because of it. */
  public static boolean decided(Snapshot snapshot, Decision decision) {
    boolean recreates =
        decision instanceof Perform(Step.RecreatePod recreate) && recreate.why().equals(WHY);
    boolean waits = Among.any(decision.objections(), o -> o.is(Reasons.FORCED_ROLL_OUT));
    return active(snapshot) && (recreates || waits);
  }

  private static final String WHY = "forced, and nobody else replaces it";

  Decision next() {
    var workload = rollout.workload();
    String component = rollout.component().name();
    String by = rollout.snapshot().spec().force().by();
    boolean byHand = workload.update() == Workload.Update.ON_DELETE;
    if (workload.partition() != above() && !byHand) {
      return new Perform(new Step.Force(component, Fence.of(workload), above(), by));
    }
    return old(byHand)
        .filter(p -> isComplete(workload, p))
        .findFirst()
        .<Decision>map(p -> new Perform(rollout.recreate(p, WHY)))
        .orElseGet(() ->
            new Wait(
                List.of(
                    Reasons.FORCED_ROLL_OUT.objection(
                        workload.name(),
                        held().map(this::but).orElse("every member is let through"),
                        held()
                            .map(p -> "kubectl annotate pod " + p.name() + " belay.dev/hold-")
                            .orElse("wait for the StatefulSet controller"),
                        PROGRESS))));
  }

  private boolean isComplete(Workload workload, Pod target) {
    return PodRules.complete(
            PodRules.EVERY_POD_EXISTS, rollout.component(), workload, Optional.of(target))
        .isEmpty();
  }

  /** The highest one that a person holds. */
  private Optional<Pod> held() {
    return Among.first(rollout.course().outdated(), Pod::held);
  }

  /** How far down the controller may go: it would replace a held one, too. */
  private int above() {
    Workload workload = rollout.workload();
    return held()
        .map(p ->
            workload.kind() == Workload.Kind.DEPLOYMENT
                ? Workload.FROZEN
                : workload.index(p.ordinal()) + 1)
        .orElse(0);
  }

  private String but(Pod held) {
    return switch (rollout.workload().ownStrategy()) {
      case PARTITION ->
          String.format(
              Locale.ROOT,
              "every member above %s is let through; it is held, and those below it wait",
              held.name());
      case ON_DELETE ->
          String.format(
              Locale.ROOT, "every member is let through but %s, which is held", held.name());
      case NATIVE ->
          String.format(
              Locale.ROOT,
              "nobody is let through: %s is held, and the controller would replace it, too",
              held.name());
    };
  }

  /**
   * Who is to be replaced by Belay itself. OrderedReady stops at every pod that is not ready, and
   * nobody else would ever replace that; others may be missing only for want of it.
   */
  private Stream<Pod> old(boolean byHand) {
    String newest = rollout.workload().updateRevision();
    return rollout.component().podsInRange(rollout.workload()).reversed().stream()
        .filter(p -> !p.revision().equals(newest) && !p.terminating())
        .filter(p -> byHand || !p.ready())
        .filter(p -> newest.equals(rollout.workload().comesBackAt(p)))
        .filter(p -> !p.held())
        .sorted(Comparator.comparing(Pod::ready));
  }

  /** It was for one roll-out: what asked for it is taken away. */
  public static Optional<Decision> over(Snapshot snapshot) {
    // Written down and not carried out, it is due again.
    boolean done =
        snapshot.spec().force().asked()
            && snapshot
                .memory()
                .forced()
                .filter(f ->
                    f.active()
                        || (f.state() == State.SPENT
                            && snapshot.at().isBefore(f.since().plus(REMOVAL))))
                .isPresent();
    return done
        ? Optional.of(
            new Perform(new Step.Unforce("", new Fence.Cluster(snapshot.subject().name()))))
        : Optional.empty();
  }
}
