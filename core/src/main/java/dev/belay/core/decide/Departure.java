package dev.belay.core.decide;

import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Workload;
import dev.belay.core.rollout.Fitness;
import dev.belay.core.rollout.Obligations;
import dev.belay.core.rollout.Rollout;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Command;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Done;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The StatefulCluster is being deleted, which restarts nothing: what was done for the upgrade is
 * taken back, a parked and settled workload is un-parked, all else stays as it is.
 */
record Departure(Snapshot snapshot, List<Rollout> rollouts) {

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int TRIES = 12;

  Decision next() {
    List<Rollout> adopted = adopted();
    return cleanup()
        .or(() -> adopted.stream().flatMap(r -> unparked(r).stream()).findFirst())
        .or(() -> adopted.stream().flatMap(r -> owing(r).stream()).findFirst())
        .or(() -> adopted.stream().flatMap(r -> new Obligations(r).askOnce().stream()).findFirst())
        .or(this::unseen)
        .orElseGet(Done::new);
  }

  /** Undoes the next thing that was done for the upgrade and can be undone now. */
  Optional<Decision> cleanup() {
    return adopted().stream()
        .flatMap(r -> mended(r).stream())
        .findFirst()
        .or(() ->
            adopted().stream()
                .flatMap(r -> new Obligations(r).takeBackToLeave().stream())
                .findFirst());
  }

  private List<Rollout> adopted() {
    return rollouts.stream().filter(r -> r.memory().adopted()).toList();
  }

  /**
   * What cannot be read may be drained or parked: that is waited for like what is owed. What is
   * known to be gone, as after helm uninstall, owes nothing.
   */
  private Optional<Decision> unseen() {
    String namespace = snapshot.subject().namespace();
    return snapshot.components().stream()
        .filter(c -> snapshot.memory().component(c.name()).adopted())
        .filter(c -> !c.workload().equals(c.spec().absent(namespace)))
        .flatMap(c ->
            c.workload() instanceof Fact.Unknown<Workload>(String why)
                ? patience(
                    c.spec().workload(),
                    "what it owes cannot be seen: " + why,
                    "see that it can be read; a minute after it was first missed Belay leaves all"
                        + " the same, and it stays as it is")
                    .stream()
                : Stream.empty())
        .findFirst();
  }

  private Optional<Decision> mended(Rollout rollout) {
    return rollout
        .policy()
        .tend(snapshot, rollout.component(), Optional.empty())
        .filter(command -> !isRefusedForGood(command))
        .map(command -> rollout.tell(command, true));
  }

  /** Whoever does not take it after some tries is not told for ever: what is left is said. */
  private boolean isRefusedForGood(Command command) {
    return snapshot
        .memory()
        .step()
        .filter(s -> s.attempts() >= TRIES)
        .flatMap(Command::of)
        .filter(command::isSameAs)
        .isPresent();
  }

  /** What nobody can be told at the moment is waited for, but not for ever. */
  private Optional<Decision> owing(Rollout rollout) {
    List<String> owed =
        Stream.concat(
                rollout.policy().owes(rollout.component(), rollout.memory().notes()).stream(),
                new Obligations(rollout).unheard())
            .toList();
    return owed.isEmpty()
        ? Optional.empty()
        : patience(
            rollout.workload().name(),
            String.join("; ", owed),
            "bring a member back that can be told; a minute after it was first missed"
                + " Belay leaves and says what is left");
  }

  private Optional<Decision> patience(String object, String reading, String cure) {
    boolean waited =
        snapshot
            .memory()
            .blocked()
            .filter(Reasons.NOTHING_IS_OWED::is)
            .filter(b -> b.since().plus(PATIENCE).isBefore(snapshot.at()))
            .isPresent();
    return waited
        ? Optional.empty()
        : Optional.of(
            new Wait(
                List.of(
                    Reasons.NOTHING_IS_OWED.objection(
                        object, reading, cure, Objection.Weight.WAIT))));
  }

  private Optional<Decision> unparked(Rollout rollout) {
    Workload workload = rollout.workload();
    if (!workload.frozen() || rollout.component().guard().is(Guarding.POLICY)) {
      return Optional.empty();
    }
    List<Objection> unfit = Fitness.objections(snapshot, rollout.component(), workload);
    if (unfit.stream().anyMatch(o -> !o.weight().needsPerson())) {
      return Optional.of(new Wait(unfit));
    }
    return settled(rollout)
        ? Optional.of(new Perform(new Step.Rest(rollout.component().name(), Fence.of(workload), 0)))
        : Optional.empty();
  }

  /** A pod that is missing comes back as the others are, whatever the partition. */
  private static boolean settled(Rollout rollout) {
    Workload workload = rollout.workload();
    return workload.currentRevision().equals(workload.updateRevision())
        && rollout.component().podList().stream()
            .allMatch(p -> p.revision().equals(workload.updateRevision()));
  }
}
