package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.PROGRESS;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Ledger.Status;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Members and migrations keep out of each other's way. */
public final class MigrationRules {

  public static final Reason NO_MIGRATION_RUNNING =
      new Reason(
          "NoMigrationRunning",
          "No member is touched, and no migration begun, while another operation runs in the database"
              + " or a session holds the lock of the migrations.",
          "Wait for the end of it; end a session that was left over, as the message says.",
          "liquibase#1311: a killed pod leaves the lock of a migration behind."
              + " tidb#44159: an upgrade that met running DDL hung.");

  public static final Reason EVERY_MEMBER_IS_UP =
      new Reason(
          "EveryMemberIsUp",
          "No migration is begun while a member is down, unready or unhealthy.",
          "Bring the named member back.",
          "picodata's own note in its governor: instances that are away in that moment"
              + " are skipped, and stay as they were.");

  private MigrationRules() {}

  static Optional<Objection> noMigrationRunning(Snapshot snapshot, Component component, Step step) {
    if (snapshot.spec().migrations().isEmpty() || !touches(step)) {
      return Optional.empty();
    }
    return switch (snapshot.ledger()) {
      // The database itself may be what is being healed.
      case Fact.Unknown<Ledger> unknown ->
          heals(snapshot, component, step)
              ? Optional.empty()
              : Optional.of(NO_MIGRATION_RUNNING.unseen(step.object(), unknown));
      case Fact.Known<Ledger>(Ledger ledger) ->
          MigrationTroubles.denied(ledger)
              .filter(_ -> !heals(snapshot, component, step))
              .or(() -> MigrationTroubles.failed(snapshot))
              .or(() -> running(snapshot, ledger));
    };
  }

  /** Whether a step takes down only who has nothing to lose. */
  public static boolean heals(Snapshot snapshot, Component component, Step step) {
    return step.takesDown()
        .flatMap(component::pod)
        .filter(p -> MemberState.nothingToLose(snapshot, component, p))
        .isPresent();
  }

  private static boolean touches(Step step) {
    return switch (step) {
      case Step.Tell tell -> !tell.mends();
      case Step.LetRoll _, Step.TransferLeader _ -> true;
      default -> step.takesDown().isPresent();
    };
  }

  private static Optional<Objection> running(Snapshot snapshot, Ledger ledger) {
    return ledger
        .first(Status.RUNNING)
        .filter(_ -> ledger.holder().filter(h -> h.mayBeLeftOver(snapshot.at())).isEmpty())
        .map(o ->
            NO_MIGRATION_RUNNING.objection(
                "migration " + o.key(),
                o.title() + " runs",
                "wait for its end; no other governor may be left running",
                PROGRESS))
        .or(() -> ledger.holder().map(h -> held("database", h, snapshot.at())));
  }

  /** Nobody takes the lock from whoever holds it: a session that looks idle may be a person's. */
  public static Objection held(String object, Ledger.Holder holder, Instant now) {
    boolean left = holder.mayBeLeftOver(now);
    return NO_MIGRATION_RUNNING.objection(
        object,
        holder.doing(now),
        left ? holder.cure() : "wait for its end; no other governor may be left running",
        left ? WAIT : PROGRESS);
  }

  /** What was begun is brought to an end whoever is down: half of it helps nobody. */
  static Optional<Objection> everyMemberIsUp(Snapshot snapshot, Component component, Step step) {
    if (!(step instanceof Step.Migrate migrate) || migrate.operation().is(Status.RUNNING)) {
      return Optional.empty();
    }
    return snapshot.components().stream().flatMap(c -> isUp(snapshot, c).stream()).findFirst();
  }

  private static Optional<Objection> isUp(Snapshot snapshot, Component component) {
    String name = component.spec().workload();
    if (component.workload() instanceof Fact.Unknown<Workload> unknown) {
      return Optional.of(EVERY_MEMBER_IS_UP.unseen(name, unknown));
    }
    if (component.pods() instanceof Fact.Unknown<List<Pod>> unknown) {
      return Optional.of(EVERY_MEMBER_IS_UP.unseen(name, unknown));
    }
    Workload workload = component.workload().asOptional().orElseThrow();
    return PodRules.complete(EVERY_MEMBER_IS_UP, component, workload, Optional.empty())
        .or(() ->
            component.podList().stream()
                // Who is stuck on what was never good may be waiting for this very migration.
                .filter(p -> !MemberState.nothingToLose(snapshot, component, p))
                .flatMap(p -> isUp(component, p).stream())
                .findFirst());
  }

  private static Optional<Objection> isUp(Component component, Pod pod) {
    String trouble = pod.ready() ? MemberState.memberTrouble(component, pod) : "is not ready";
    return pod.terminating() || !trouble.isEmpty()
        ? Optional.of(
            EVERY_MEMBER_IS_UP.objection(
                pod.name(),
                pod.terminating() ? "is terminating" : trouble,
                pod.name() + " back",
                WAIT))
        : Optional.empty();
  }
}
