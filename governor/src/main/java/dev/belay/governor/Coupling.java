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
import dev.belay.governor.jdbc.Dialect;
import dev.belay.governor.jdbc.Dialect.Activity;
import dev.belay.governor.jdbc.Dialect.Lack;
import dev.belay.governor.jdbc.Governor;
import dev.belay.governor.jdbc.Options;
import dev.belay.governor.jdbc.Outlook;
import dev.belay.governor.jdbc.Row;
import dev.belay.governor.jdbc.Target;
import dev.belay.governor.queue.Effect.Rest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a roll-out asks of the governor of one database: where the migrations stand, one operation
 * in the background, a person's decision. Nothing here is remembered: the queue is the memory.
 */
public final class Coupling {

  /** The attempt of what nobody has decided on. */
  private static final int FIRST = 1;

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

  /**
   * What may run now.
   *
   * @param operation the only one that may begin: a version, or # and an id; empty: any
   * @param versions the migrations that may be put into the queue; what is in it stays
   * @param wanted asked right before an operation begins: a decision does not stay right for long
   */
  public record Permit(
      Set<Phase> phases,
      boolean custom,
      String operation,
      Predicate<String> versions,
      BooleanSupplier wanted) {
    public Permit {
      phases = Set.copyOf(phases);
    }

    /** For all the migrations, for good. */
    public Permit(Set<Phase> phases, boolean custom) {
      this(phases, custom, "", _ -> true, () -> true);
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
      Outlook found = Outlook.on(masters, owner);
      Read read = Read.of(() -> migrations(sources));
      if (found.desk().isPresent()) {
        try (Desk desk = found.desk().get()) {
          return known(read, found, desk);
        }
      }
      return found.lack().filter(Lack::unread).isPresent()
          ? new Standing.Unread(denied(found.lack().get()))
          : known(read, found);
    } catch (Refusal e) {
      return new Standing.Unknown(String.valueOf(e.getMessage()));
    } catch (SQLException e) {
      return new Standing.Unknown(scrub(e));
    }
  }

  /** The migrations, or what is wrong with them. */
  private record Read(List<Migration> migrations, Optional<String> misfit) {

    static Read of(Supplier<List<Migration>> read) {
      try {
        return new Read(read.get(), Optional.empty());
      } catch (Refusal e) {
        return new Read(List.of(), Optional.of(String.valueOf(e.getMessage())));
      }
    }
  }

  private Standing.Known known(Read read, Outlook found) {
    return new Standing.Known(
        read.migrations().stream().map(Coupling::unqueued).toList(),
        Optional.empty(),
        read.misfit(),
        holder(found),
        found.lack().map(this::denied));
  }

  private Standing.Known known(Read read, Outlook found, Desk desk) throws SQLException {
    Optional<String> misfit = read.misfit();
    if (misfit.isEmpty()) {
      try {
        desk.missing(sinceTheFirst(read.migrations(), desk), Optional.empty());
      } catch (Refusal e) {
        misfit = Optional.of(String.valueOf(e.getMessage()));
      }
    }
    return new Standing.Known(
        operations(read.migrations(), desk),
        desk.floor().map(Coupling::floor),
        misfit,
        holder(found),
        found.lack().map(this::denied));
  }

  private Standing.Denied denied(Lack lack) {
    return new Standing.Denied(masters.getFirst().scrub(lack.words()), lack.grant());
  }

  private Optional<Standing.Holder> holder(Outlook found) {
    return found
        .holder()
        .map(h ->
            new Standing.Holder(
                h.who(),
                Optional.of(h.idle()).filter(_ -> h.activity() == Activity.IDLE),
                h.activity() == Activity.HIDDEN,
                Dialect.of(masters.getFirst()).ending(h.session())));
  }

  /** What lies below everything in the queue was there before the queue was. */
  private static List<Migration> sinceTheFirst(List<Migration> migrations, Desk desk)
      throws SQLException {
    Optional<Version> first = desk.upgrades().stream().map(Known::version).min(Version::compareTo);
    return migrations.stream()
        .filter(m -> first.isEmpty() || m.version().compareTo(first.get()) >= 0)
        .toList();
  }

  /** In the order in which the governor takes them. */
  private static List<Standing.Operation> operations(List<Migration> migrations, Desk desk)
      throws SQLException {
    List<Row> rows = desk.open();
    Set<Long> open = rows.stream().map(Row::id).collect(Collectors.toSet());
    Map<Version, Known> known = new HashMap<>();
    desk.upgrades().forEach(k -> known.put(k.version(), k));
    List<Standing.Operation> done = new ArrayList<>();
    List<Standing.Operation> unqueued = new ArrayList<>();
    for (Migration m : migrations) {
      Known k = known.get(m.version());
      if (k == null) {
        unqueued.add(unqueued(m));
      } else if (!open.contains(k.id())) {
        done.add(done(m, k.id()));
      }
    }
    return Stream.of(
            done.stream(),
            rows.stream().filter(r -> r.kind().equals(Row.UPGRADE)).map(Coupling::open),
            unqueued.stream(),
            rows.stream().filter(r -> !r.kind().equals(Row.UPGRADE)).map(Coupling::open))
        .flatMap(s -> s)
        .toList();
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
        status == Status.DONE,
        FIRST);
  }

  private static Standing.Operation open(Row r) {
    boolean begun = r.started().isPresent() || !r.status().equals(Row.PENDING);
    Status status =
        r.status().equals(Row.FAILED) ? Status.FAILED : begun ? Status.RUNNING : Status.PENDING;
    return new Standing.Operation(
        r.id(),
        r.batch(),
        title(r),
        r.kind().equals(Row.UPGRADE)
            ? r.phase().or(() -> Optional.of(Phase.EXPAND))
            : Optional.empty(),
        status,
        r.statusDescription().orElse(r.settled() ? "" : "decided, and not known everywhere yet"),
        r.reversible(),
        begun,
        r.attempt());
  }

  private static Standing.Floor floor(Row r) {
    return new Standing.Floor(r.id(), r.batch(), title(r));
  }

  /** What is shown to everybody: never the statement itself, which may have a password in it. */
  private static String title(Row r) {
    return r.description().orElse("operation " + r.id());
  }

  /** Whether an operation is under way here. */
  public boolean busy() {
    return busy.get();
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
    var door = new Doorkeeper(permit.wanted());
    try (Governor governor = new Governor(masters, replicas, options, door)) {
      List<Migration> migrations = migrations(sources);
      governor.init();
      try (Desk desk = Desk.open(masters, owner)) {
        Set<Version> queued =
            desk.upgrades().stream().map(Known::version).collect(Collectors.toSet());
        desk.fill(
            migrations.stream()
                .filter(m ->
                    queued.contains(m.version()) || permit.versions().test(m.version().toString()))
                .toList(),
            Optional.empty());
        door.only(id(permit.operation(), desk));
      }
      return governor
          .workOnce()
          .map(Coupling::outcome)
          .orElseGet(() -> new Outcome(Outcome.Ending.RAN, ""));
    } catch (Doorkeeper.Shut e) {
      return new Outcome(Outcome.Ending.WAITING, String.valueOf(e.getMessage()));
    } catch (Refusal e) {
      return new Outcome(Outcome.Ending.REFUSED, String.valueOf(e.getMessage()));
    } catch (Barred e) {
      return new Outcome(Outcome.Ending.WAITING, String.valueOf(e.getMessage()));
    } catch (SQLException e) {
      boolean forbidden = Dialect.of(masters.getFirst()).forbidden(e);
      return new Outcome(forbidden ? Outcome.Ending.REFUSED : Outcome.Ending.UNREACHABLE, scrub(e));
    }
  }

  /** What a key means in the queue. */
  private static Optional<Long> id(String key, Desk desk) throws SQLException {
    if (key.startsWith("#")) {
      return Optional.of(Long.parseLong(key.substring(1)));
    }
    Optional<Version> version = Version.parse(key);
    return desk.upgrades().stream()
        .filter(k -> version.filter(k.version()::equals).isPresent())
        .map(Known::id)
        .findFirst();
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

  /**
   * Carries a decision out; answers why it was refused, if it was.
   *
   * @param attempt the one that this was decided on: no decision counts twice
   */
  public Optional<String> decide(
      long id, int attempt, Decision decision, Map<String, String> sources, String who) {
    try (Desk desk = Desk.open(masters, who)) {
      boolean stale =
          desk.row(id)
              .filter(r -> r.status().equals(Row.FAILED) && r.attempt() != attempt)
              .isPresent();
      if (stale) {
        return Optional.of("operation " + id + " was decided by somebody else meanwhile");
      }
      switch (decision) {
        case RETRY -> desk.retry(id, corrected(desk, id, sources));
        case SKIP -> desk.skip(id, "asked for in the roll-out");
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
