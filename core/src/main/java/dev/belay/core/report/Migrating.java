package dev.belay.core.report;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Ledger.Operation;
import dev.belay.core.model.Ledger.Phase;
import dev.belay.core.model.Ledger.Status;
import dev.belay.core.model.Sorted;
import dev.belay.core.rules.DueMigrations;
import dev.belay.core.rules.MigrationState;
import dev.belay.core.state.Snapshot;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The migrations of the wanted version, in short: a queue can be long, a status cannot.
 *
 * @param phases how far each phase is; without one that has no operation
 * @param operation the one that failed, runs, or comes next
 * @param trouble why nothing more is known
 */
public record Migrating(
    Map<Phase, Status> phases,
    int pending,
    int done,
    Optional<Operation> operation,
    String trouble) {

  public Migrating {
    phases = Sorted.copyOf(phases);
  }

  /** Empty when no migrations are declared. */
  static Optional<Migrating> of(Snapshot snapshot) {
    var migrations = new MigrationState(snapshot);
    if (!migrations.declared()) {
      return Optional.empty();
    }
    return Optional.of(
        switch (snapshot.ledger()) {
          case Fact.Unknown<Ledger>(String why) ->
              new Migrating(Map.of(), 0, 0, Optional.empty(), why);
          case Fact.Known<Ledger>(Ledger ledger) ->
              of(ledger, new DueMigrations(snapshot).ofWanted());
        });
  }

  private static Migrating of(Ledger ledger, List<Operation> wanted) {
    List<Operation> byHand = ledger.operations().stream().filter(Operation::custom).toList();
    List<Operation> all = Stream.concat(wanted.stream(), byHand.stream()).toList();
    var phases = new EnumMap<Phase, Status>(Phase.class);
    for (Operation o : wanted) {
      phases.merge(o.phase().orElse(Phase.EXPAND), o.status(), Migrating::worse);
    }
    Optional<Operation> next =
        ledger
            .first(Status.FAILED)
            .or(() -> ledger.first(Status.RUNNING))
            .or(() -> all.stream().filter(o -> o.is(Status.PENDING)).findFirst());
    return new Migrating(
        phases,
        (int) all.stream().filter(o -> !o.is(Status.DONE)).count(),
        (int) all.stream().filter(o -> o.is(Status.DONE)).count(),
        next,
        ledger.denied().map(d -> d.words() + "; cure: " + d.cure()).orElse(ledger.misfit()));
  }

  private static final List<Status> WORST =
      List.of(Status.FAILED, Status.RUNNING, Status.PENDING, Status.DONE);

  private static Status worse(Status a, Status b) {
    return WORST.indexOf(a) < WORST.indexOf(b) ? a : b;
  }
}
