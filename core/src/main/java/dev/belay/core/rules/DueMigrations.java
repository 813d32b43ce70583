package dev.belay.core.rules;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Ledger.Operation;
import dev.belay.core.model.Ledger.Status;
import dev.belay.core.model.Version;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Snapshot;
import java.util.List;
import java.util.Optional;

/** Which migrations lie between the version that ran before and the one that is wanted. */
public record DueMigrations(Snapshot snapshot) {

  /** Of the roll-out, not over, in their order. */
  public List<Operation> open() {
    String to = to().asOptional().orElse("");
    boolean back = component().filter(c -> new Course(snapshot, c).sentBack()).isPresent();
    return ledger().stream()
        .flatMap(l -> l.operations().stream())
        .filter(o -> !o.custom() && !o.is(Status.DONE))
        .filter(o -> !o.is(Status.PENDING) || (!back && belongs(o, to)))
        .toList();
  }

  private boolean belongs(Operation operation, String to) {
    boolean rolls =
        snapshot.memory().run().isPresent()
            || component().filter(c -> UpdatedMembers.underWay(snapshot, c)).isPresent();
    return (operation.version().isEmpty() || MigrationState.covers(to, operation.version()))
        && !takenAsThere(operation)
        && (rolls || !isUnknownStart(operation));
  }

  /** Neither the version that ran before nor the queue tells what the database has already. */
  public boolean isUnknownStart(Operation operation) {
    return operation.id() == 0
        && Version.parse(lastGood()).isEmpty()
        && ledger().stream()
            .flatMap(l -> l.operations().stream())
            .noneMatch(o -> !o.custom() && o.id() > 0);
  }

  /**
   * An upgrade goes from the current version to the next: what lies below everything in the queue,
   * and what the running version needs, was done by others.
   */
  private boolean takenAsThere(Operation operation) {
    return operation.id() == 0
        && MigrationState.covers(lastGood(), operation.version())
        && ledger().stream()
            .flatMap(l -> l.operations().stream())
            .filter(o -> !o.custom() && o.id() > 0)
            .noneMatch(o -> MigrationState.covers(operation.version(), o.version()));
  }

  /** The migrations that the wanted version has behind it, done or not. */
  public List<Operation> ofWanted() {
    String to = to().asOptional().orElse("");
    return ledger().stream()
        .flatMap(l -> l.operations().stream())
        .filter(o -> !o.custom() && belongs(o, to))
        .toList();
  }

  /** What somebody queued by hand and is not over. */
  public static Optional<Operation> byHand(Ledger ledger) {
    return ledger.operations().stream().filter(o -> o.custom() && !o.is(Status.DONE)).findFirst();
  }

  /** The version whose migrations are wanted. */
  public Fact<String> to() {
    return component()
        .map(c -> c.workload().flatMap(Versions::ofTemplate))
        .orElseGet(() -> Fact.unknown("spec.migrations.component names no component"));
  }

  private String lastGood() {
    return component()
        .flatMap(c -> snapshot.memory().component(c.name()).lastGood())
        .map(Good::version)
        .orElse("");
  }

  private Optional<Ledger> ledger() {
    return new MigrationState(snapshot).ledger();
  }

  private Optional<Component> component() {
    return new MigrationState(snapshot).component();
  }
}
