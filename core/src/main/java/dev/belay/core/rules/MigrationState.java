package dev.belay.core.rules;

import dev.belay.core.model.Component;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Ledger.Status;
import dev.belay.core.model.Version;
import dev.belay.core.state.Fence;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Snapshot;
import java.time.Instant;
import java.util.Optional;

/** Where the declared migrations stand, as the database tells it. */
public record MigrationState(Snapshot snapshot) {

  public boolean declared() {
    return snapshot.spec().migrations().isPresent();
  }

  /** What the queue says, where that could be read. */
  public Optional<Ledger> ledger() {
    return snapshot.spec().migrations().isPresent()
        ? snapshot.ledger().asOptional().filter(Ledger::isRead)
        : Optional.empty();
  }

  public Optional<Component> component() {
    return snapshot.spec().migrations().flatMap(m -> snapshot.component(m.component()));
  }

  /** The irreversible one that was begun, or is about to be: in the record it counts already. */
  public Optional<Ledger.Closed> closed() {
    Optional<Ledger.Closed> recorded =
        snapshot
            .memory()
            .step()
            .map(RecordedStep::fence)
            .filter(Fence.Migration.class::isInstance)
            .flatMap(f -> ledger().flatMap(l -> l.operation(f.name())))
            .filter(o -> !o.reversible() && !o.custom())
            .map(o -> new Ledger.Closed(o.version(), o.title()));
    Optional<Ledger.Closed> begun = ledger().flatMap(Ledger::closed);
    return recorded
        .filter(r ->
            r.version().isEmpty() || begun.filter(b -> !covers(r.version(), b.version())).isEmpty())
        .or(() -> begun);
  }

  /** Under way or over, it cannot begin any more; where that cannot be seen it still may. */
  public boolean mayStillBegin(Fence.Migration fence, Instant recorded) {
    return ledger().stream()
        .allMatch(l ->
            isAt(l, fence.name(), Status.PENDING, fence.attempt())
                // Answered after it was recorded, it was tried and is over.
                && l.hitch().filter(h -> !h.at().isBefore(recorded)).isEmpty());
  }

  /** The same for a person's decision about a failed one. */
  public boolean mayStillBeDecided(Fence.Verdict fence) {
    return ledger().stream()
        .allMatch(
            l -> isAt(l, fence.name(), Status.FAILED, fence.attempt()) && l.answer().isEmpty());
  }

  private static boolean isAt(Ledger ledger, String key, Status status, int attempt) {
    return ledger.holder().isEmpty()
        && ledger.operation(key).filter(o -> o.is(status) && o.attempt() == attempt).isPresent();
  }

  /** Whether an operation runs, or was begun and is brought to its end. */
  public static boolean underWay(Snapshot snapshot) {
    return new MigrationState(snapshot)
        .ledger()
        .filter(l ->
            l.holder()
                .map(h -> !h.mayBeLeftOver(snapshot.at()))
                .orElse(l.first(Status.RUNNING).isPresent() && l.hitch().isEmpty()))
        .isPresent();
  }

  /** Whether a version has a migration behind it: 2.0.0 has 1.9, 2.0.0 and 2.0.0.3. */
  static boolean covers(String version, String migration) {
    Optional<Version> at = Version.parse(version);
    Optional<Version> needed = Version.parse(migration);
    return at.isPresent()
        && needed.isPresent()
        && (!at.get().olderThan(needed.get()) || needed.get().startsWith(at.get()));
  }
}
