package dev.belay.core.plan;

import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Ledger.Closed;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Snapshot;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The irreversible migration of a roll-out, noted in the record before it begins: the way back
 * stays closed also when its declaration is taken away, or the database cannot be read.
 */
public record ClosedNote(Snapshot snapshot, Component component) {

  private static final String KEY = "migrations.closed";

  Optional<Closed> noted() {
    return Optional.ofNullable(memory().notes().get(KEY))
        .map(n -> n.split(" ", 2))
        .map(n -> new Closed(n[0], n[1]));
  }

  /** These notes, and this one while the roll-out lasts. */
  public Map<String, String> with(Map<String, String> notes, Decision decision) {
    Optional<Closed> closed = begins(decision).or(this::begun).or(this::noted);
    if (closed.isEmpty() || memory().target().isEmpty()) {
      return notes;
    }
    var all = new TreeMap<>(notes);
    all.put(KEY, closed.get().version() + " " + closed.get().title());
    return all;
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
    var migrations = new Migrations(snapshot);
    return migrations
        .component()
        .filter(c -> c.name().equals(component.name()))
        .flatMap(_ -> migrations.closed());
  }

  private ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }
}
