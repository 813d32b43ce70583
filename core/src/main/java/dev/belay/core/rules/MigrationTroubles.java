package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.FAILURE;
import static dev.belay.core.state.Objection.Weight.HUMAN;
import static dev.belay.core.state.Objection.Weight.INVALID;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Ledger.Operation;
import dev.belay.core.model.Ledger.Phase;
import dev.belay.core.model.Ledger.Status;
import dev.belay.core.model.Version;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Why no migration can follow before a person did something. */
public record MigrationTroubles(Snapshot snapshot, DueMigrations due) {

  public MigrationTroubles(Snapshot snapshot) {
    this(snapshot, new DueMigrations(snapshot));
  }

  public Optional<Decision> stopped(Ledger ledger) {
    boolean wanted =
        snapshot.memory().run().isPresent()
            || !due.open().isEmpty()
            || DueMigrations.byHand(ledger).isPresent();
    return denied(ledger)
        .filter(_ -> wanted)
        .or(() -> failed(snapshot, ledger))
        .or(() -> misfit(ledger))
        .map(o -> Decision.because(List.of(o)));
  }

  static Optional<Objection> denied(Ledger ledger) {
    return ledger
        .denied()
        .map(d ->
            Reasons.MIGRATOR_HAS_RIGHTS.objection(
                "spec.migrations.database", d.words(), d.cure(), HUMAN));
  }

  static Optional<Objection> failed(Snapshot snapshot) {
    return new MigrationState(snapshot).ledger().flatMap(l -> failed(snapshot, l));
  }

  private static Optional<Objection> failed(Snapshot snapshot, Ledger ledger) {
    return ledger
        .first(Status.FAILED)
        .map(o ->
            Reasons.MIGRATIONS_SUCCEED.objection(
                "migration " + o.key(),
                "MigrationFailed: operation " + o.id() + ", " + o.title() + ": " + o.text(),
                "correct it, then decide: belay migration retry "
                    + snapshot.subject().name()
                    + " --id "
                    + o.id()
                    + ", or skip or resolve; or set spec.requests.migration to {id: "
                    + o.id()
                    + ", action: retry, token: NEW}",
                FAILURE));
  }

  private Optional<Objection> misfit(Ledger ledger) {
    if (!ledger.misfit().isEmpty()) {
      return Optional.of(
          Reasons.MIGRATIONS_FIT.objection(
              "spec.migrations.source",
              ledger.misfit(),
              "correct the ConfigMap, or put back what was changed",
              INVALID));
    }
    List<Operation> versioned =
        ledger.operations().stream()
            .filter(o -> o.is(Status.PENDING) && !o.custom() && !o.version().isEmpty())
            .toList();
    Optional<Objection> unreadable =
        versioned.stream()
            .filter(o -> Version.parse(o.version()).isEmpty())
            .findFirst()
            .map(o ->
                Reasons.MIGRATIONS_FIT.objection(
                    "spec.migrations.source",
                    o.version() + " is no version that an image could have",
                    "name the files after the versions that need them: V2.0.0.1__text.sql belongs"
                        + " to 2.0.0",
                    INVALID));
    return unreadable.or(() ->
        due.to() instanceof Fact.Unknown<String>(String why) && !versioned.isEmpty()
            ? Optional.of(
                Reasons.MIGRATIONS_FIT.objection(
                    new MigrationState(snapshot)
                        .component()
                        .map(c -> c.spec().workload())
                        .orElse("spec.migrations.component"),
                    "it is not known which migrations are meant: " + why,
                    "give the image a tag with a version",
                    HUMAN))
            : Optional.empty());
  }

  /** One operation runs after the other: what comes too early keeps all behind it back. */
  public Optional<Decision> outOfOrder() {
    List<Operation> closed = due.open().stream().dropWhile(MigrationTroubles::expands).toList();
    Optional<Operation> late = closed.stream().filter(MigrationTroubles::expands).findFirst();
    return late.map(o ->
        Decision.because(
            List.of(
                Reasons.MIGRATIONS_FIT.objection(
                    "spec.migrations.source",
                    String.format(
                        Locale.ROOT,
                        "%s is to run before the first member and stands behind %s, whose phase is %s",
                        o.title(),
                        closed.getFirst().title(),
                        closed.getFirst().phase().orElseThrow()),
                    "go by the version in between, or give what expands the lower versions",
                    HUMAN))));
  }

  private static boolean expands(Operation operation) {
    return operation.phase().orElse(Phase.EXPAND) == Phase.EXPAND;
  }
}
