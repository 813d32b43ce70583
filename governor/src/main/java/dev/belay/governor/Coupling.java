package dev.belay.governor;

import dev.belay.governor.Standing.Status;
import dev.belay.governor.files.Checksum;
import dev.belay.governor.files.Migration;
import dev.belay.governor.files.Migration.Phase;
import dev.belay.governor.files.MigrationFolder;
import dev.belay.governor.files.Upgrade.Known;
import dev.belay.governor.files.Version;
import dev.belay.governor.jdbc.Barred;
import dev.belay.governor.jdbc.Desk;
import dev.belay.governor.jdbc.Governor;
import dev.belay.governor.jdbc.Options;
import dev.belay.governor.jdbc.Row;
import dev.belay.governor.jdbc.Target;
import dev.belay.governor.jdbc.Watcher;
import dev.belay.governor.queue.Effect.Rest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * What a roll-out asks of the governor of one database: where the migrations stand, one operation
 * in the background, a person's decision. Nothing here is remembered: the queue is the memory.
 */
public final class Coupling {

  private final List<Target> masters;
  private final List<Target> replicas;
  private final String owner;
  private final AtomicBoolean busy = new AtomicBoolean();

  /**
   * Couples with the governor of a database.
   *
   * @param masters home, where the queue is, first
   * @param owner how the lease and the list of sessions call whoever runs operations
   */
  public Coupling(List<Target> masters, List<Target> replicas, String owner) {
    this.masters = List.copyOf(masters);
    this.replicas = List.copyOf(replicas);
    this.owner = owner;
  }

  /** What may run now. */
  public record Permit(Set<Phase> phases, boolean custom) {
    public Permit {
      phases = Set.copyOf(phases);
    }
  }

  /** How a turn in the background has ended; what became of the operation is in the standing. */
  public record Outcome(Ending ending, String text) {
    /** Why it ended. */
    public enum Ending {
      /** One operation was decided. */
      RAN,
      /** Nothing is left that may run. */
      DRAINED,
      /** A failed operation stops the line. */
      STOPPED,
      /** Another governor, an absent master or replica, a busy lock, a closed phase. */
      WAITING,
      /** Something given is wrong; trying again does not help. */
      REFUSED,
      /** A database cannot be reached. */
      UNREACHABLE
    }
  }

  /** Reads; creates nothing, locks nothing, works beside a running governor. */
  public Standing standing(Map<String, String> sources) {
    try {
      List<Migration> migrations = migrations(sources);
      Optional<Desk> found = Desk.find(masters, owner);
      if (found.isEmpty()) {
        return new Standing.Known(
            migrations.stream().map(Coupling::unqueued).toList(), Optional.empty());
      }
      try (Desk desk = found.get()) {
        desk.missing(migrations, Optional.empty());
        return new Standing.Known(operations(migrations, desk), desk.floor().map(Coupling::floor));
      }
    } catch (Refusal e) {
      return new Standing.Refused(String.valueOf(e.getMessage()));
    } catch (SQLException e) {
      return new Standing.Unknown(scrub(e));
    }
  }

  private static List<Standing.Operation> operations(List<Migration> migrations, Desk desk)
      throws SQLException {
    Map<Long, Row> open = new HashMap<>();
    List<Row> rows = desk.open();
    rows.forEach(r -> open.put(r.id(), r));
    Map<Version, Known> known = new HashMap<>();
    desk.upgrades().forEach(k -> known.put(k.version(), k));
    List<Standing.Operation> out = new ArrayList<>();
    for (Migration m : migrations) {
      Known k = known.get(m.version());
      Row row = k == null ? null : open.remove(k.id());
      out.add(row != null ? open(row) : k != null ? done(m, k.id()) : unqueued(m));
    }
    rows.stream().filter(r -> open.containsKey(r.id())).map(Coupling::open).forEach(out::add);
    return out;
  }

  private static Standing.Operation unqueued(Migration m) {
    return of(m, 0, Status.PENDING);
  }

  private static Standing.Operation done(Migration m, long id) {
    return of(m, id, Status.DONE);
  }

  private static Standing.Operation of(Migration m, long id, Status status) {
    return new Standing.Operation(
        id,
        Optional.of(m.version().toString()),
        m.description(),
        Optional.of(m.phase()),
        status,
        "",
        m.reversible(),
        status == Status.DONE);
  }

  private static Standing.Operation open(Row r) {
    boolean begun = r.started().isPresent() || !r.status().equals(Row.PENDING);
    Status status =
        r.status().equals(Row.FAILED) ? Status.FAILED : begun ? Status.RUNNING : Status.PENDING;
    return new Standing.Operation(
        r.id(),
        r.batch(),
        r.title(),
        r.kind().equals(Row.UPGRADE) ? r.phase().or(() -> Optional.of(Phase.EXPAND)) : r.phase(),
        status,
        r.statusDescription().orElse(r.settled() ? "" : "decided, and not known everywhere yet"),
        r.reversible(),
        begun);
  }

  private static Standing.Floor floor(Row r) {
    return new Standing.Floor(r.id(), r.batch(), r.title());
  }

  /** Queues what is missing and runs one operation in the background; false: one is under way. */
  public boolean begin(Map<String, String> sources, Permit permit, Consumer<Outcome> then) {
    if (!busy.compareAndSet(false, true)) {
      return false;
    }
    Thread.ofVirtual()
        .name("governor")
        .start(() -> {
          Outcome outcome = new Outcome(Outcome.Ending.UNREACHABLE, "it ended without an answer");
          try {
            outcome = run(sources, permit);
          } finally {
            busy.set(false);
            then.accept(outcome);
          }
        });
    return true;
  }

  private Outcome run(Map<String, String> sources, Permit permit) {
    Options options = Options.defaults(owner).open(permit.phases(), permit.custom());
    try (Governor governor = new Governor(masters, replicas, options, Watcher.NONE)) {
      List<Migration> migrations = migrations(sources);
      governor.init();
      try (Desk desk = Desk.open(masters, owner)) {
        desk.fill(migrations, Optional.empty());
      }
      return governor
          .workOnce()
          .map(Coupling::outcome)
          .orElseGet(() -> new Outcome(Outcome.Ending.RAN, ""));
    } catch (Refusal e) {
      return new Outcome(Outcome.Ending.REFUSED, String.valueOf(e.getMessage()));
    } catch (Barred e) {
      return new Outcome(Outcome.Ending.WAITING, String.valueOf(e.getMessage()));
    } catch (SQLException e) {
      return new Outcome(Outcome.Ending.UNREACHABLE, scrub(e));
    }
  }

  private static Outcome outcome(Rest rest) {
    return new Outcome(
        switch (rest.why()) {
          case DRAINED -> Outcome.Ending.DRAINED;
          case STOPPED -> Outcome.Ending.STOPPED;
          case WAITING, OUTRANKED -> Outcome.Ending.WAITING;
        },
        rest.reason());
  }

  /** What a person decides about a failed operation. */
  public enum Decision {
    /** Try again, with the text of the sources if it was corrected there. */
    RETRY,
    SKIP,
    APPLIED,
    NOT_APPLIED
  }

  /** Carries a decision out; answers why it was refused, if it was. */
  public Optional<String> decide(
      long id, Decision decision, Map<String, String> sources, String who, String why) {
    try (Desk desk = Desk.open(masters, who)) {
      switch (decision) {
        case RETRY -> desk.retry(id, corrected(desk, id, sources));
        case SKIP -> desk.skip(id, why);
        case APPLIED -> desk.resolve(id, true);
        case NOT_APPLIED -> desk.resolve(id, false);
      }
      return Optional.empty();
    } catch (Refusal e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } catch (SQLException e) {
      return Optional.of(scrub(e));
    }
  }

  private Optional<String> corrected(Desk desk, long id, Map<String, String> sources)
      throws SQLException {
    Optional<Row> row = desk.row(id);
    Optional<Version> version = row.flatMap(Row::batch).flatMap(Version::parse);
    String queued = row.map(r -> Checksum.of(r.op())).orElse("");
    return migrations(sources).stream()
        .filter(m -> version.isPresent() && m.version().equals(version.get()))
        .filter(m -> !m.checksum().equals(queued))
        .map(Migration::text)
        .findFirst();
  }

  private List<Migration> migrations(Map<String, String> sources) {
    return MigrationFolder.of(sources, Desk.syntax(masters.getFirst()));
  }

  private String scrub(SQLException e) {
    Target home = masters.getFirst();
    return home.name() + ": " + home.scrub(String.valueOf(e.getMessage()).strip());
  }
}
