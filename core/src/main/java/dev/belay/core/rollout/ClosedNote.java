package dev.belay.core.rollout;

import dev.belay.core.model.Component;
import dev.belay.core.model.Ledger.Closed;
import dev.belay.core.rules.MigrationState;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.Optional;

/**
 * The irreversible migration of a roll-out, noted in the record before it begins: the way back
 * stays closed also when its declaration is taken away, or the database cannot be read.
 */
public record ClosedNote(Snapshot snapshot, Component component) {

  Optional<Closed> noted() {
    return memory().observed().closed();
  }

  /** What is noted after this decision; only while the roll-out lasts. */
  public Optional<Closed> after(Decision decision) {
    return memory().target().flatMap(_ -> begins(decision).or(this::begun).or(this::noted));
  }

  private Optional<Closed> begins(Decision decision) {
    return decision instanceof Perform(Step.Migrate migrate)
            && migrate.component().equals(component.name())
            && !migrate.operation().reversible()
            && !migrate.operation().custom()
        ? Optional.of(new Closed(migrate.operation().version(), migrate.operation().title()))
        : Optional.empty();
  }

  private Optional<Closed> begun() {
    var migrations = new MigrationState(snapshot);
    return migrations
        .component()
        .filter(c -> c.name().equals(component.name()))
        .flatMap(_ -> migrations.closed());
  }

  private ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }
}
