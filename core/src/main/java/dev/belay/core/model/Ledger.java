package dev.belay.core.model;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Where the migrations of the database stand, as its own queue says.
 *
 * @param operations the declared ones in the order of their versions, then what others have queued
 *     and is not over
 * @param closed the irreversible one at which the way back ends, if one was begun
 * @param misfit why the declared ones do not fit each other or the queue; empty when they do
 * @param holder who holds the lock under which operations are carried out
 * @param hitch why the last one did not even begin
 * @param answer why a person's decision was refused
 * @param denied which right the database user lacks
 */
public record Ledger(
    List<Operation> operations,
    Optional<Closed> closed,
    String misfit,
    Optional<Holder> holder,
    Optional<Hitch> hitch,
    Optional<Answer> answer,
    Optional<Denied> denied) {

  public static final Ledger NONE = new Ledger(List.of(), Optional.empty());

  public Ledger {
    operations = List.copyOf(operations);
  }

  /** One in which nothing is under way. */
  public Ledger(List<Operation> operations, Optional<Closed> closed) {
    this(
        operations,
        closed,
        "",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** One that nobody may read: nothing else is known of it. */
  public static Ledger unread(Denied denied) {
    return new Ledger(
        List.of(),
        Optional.empty(),
        "",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(denied));
  }

  /** Whether what it says is what the queue says. */
  public boolean isRead() {
    return denied.filter(Denied::unread).isEmpty();
  }

  /** When in a roll-out an operation has its place. */
  public enum Phase {
    /** Before the first member. */
    EXPAND,
    /** When every member runs the new version. */
    FINALIZE,
    /** When nobody will need the old one any more. */
    CONTRACT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** How far an operation has come. Running is what was begun and is not over. */
  public enum Status {
    PENDING,
    RUNNING,
    DONE,
    FAILED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One operation.
   *
   * @param id 0 while it is not in the queue yet
   * @param version of the system that needs it; empty where nobody said
   * @param phase empty for what somebody queued by hand
   * @param text the error, or what it waits for
   * @param attempt grows with each decision of a person
   */
  public record Operation(
      long id,
      String version,
      String description,
      Optional<Phase> phase,
      Status status,
      String text,
      boolean reversible,
      int attempt) {

    /** What tells it from any other, queued or not. */
    public String key() {
      return phase.isPresent() && !version.isEmpty() ? version : "#" + id;
    }

    /** How a person recognises it. */
    public String title() {
      return "migration " + key() + (description.isEmpty() ? "" : " (" + description + ")");
    }

    /** Whether somebody queued it by hand: it belongs to no roll-out. */
    public boolean custom() {
      return phase.isEmpty();
    }

    public boolean is(Status other) {
      return status == other;
    }

    public Operation at(long newId, Status other) {
      return new Operation(newId, version, description, phase, other, "", reversible, attempt);
    }
  }

  /**
   * Where the way back ends.
   *
   * @param version empty: nobody said which version needs it, so that it ends every way back
   */
  public record Closed(String version, String title) {}

  /**
   * Whoever holds the queue's lock.
   *
   * @param idleSince since when its session has done nothing; empty while it works
   * @param cure how a person ends a session that was left over
   */
  public record Holder(String who, Fact<Optional<Instant>> idleSince, String cure) {

    /** A governor that works says something more often than that, also to a slow master. */
    private static final Duration SILENCE = Duration.ofSeconds(90);

    /** One that works. */
    public static Holder working(String who) {
      return new Holder(who, Fact.known(Optional.empty()), "");
    }

    /** Whether it may be left over: it does nothing, or nobody can see what it does. */
    public boolean mayBeLeftOver(Instant now) {
      return switch (idleSince) {
        case Fact.Unknown<Optional<Instant>> _ -> true;
        case Fact.Known<Optional<Instant>>(Optional<Instant> since) ->
            since.filter(s -> s.plus(SILENCE).isBefore(now)).isPresent();
      };
    }

    /** In whole minutes: a second that ticks in the status would never let it rest. */
    public String doing(Instant now) {
      if (!mayBeLeftOver(now)) {
        return who + " is at work in the database";
      }
      return who
          + " holds the lock of the migrations, and "
          + switch (idleSince) {
            case Fact.Unknown<Optional<Instant>>(String why) ->
                "whether it works is unknown: " + why;
            case Fact.Known<Optional<Instant>>(Optional<Instant> since) ->
                "has done nothing since "
                    + since.map(s -> s.truncatedTo(ChronoUnit.MINUTES).toString()).orElse("");
          };
    }
  }

  /**
   * What the database user may not do.
   *
   * @param words what the database says
   * @param cure the right that is missing, as a statement
   * @param unread whether not even the queue could be read
   */
  public record Denied(String words, String cure, boolean unread) {}

  /**
   * Why an operation that should have run did not begin, and when that was.
   *
   * @param person whether trying again does not help
   */
  public record Hitch(String why, boolean person, Instant at) {}

  /** Why a decision was refused, by the token of its request. */
  public record Answer(String token, String why) {}

  /** The operation that a key names. */
  public Optional<Operation> operation(String key) {
    return operations.stream().filter(o -> o.key().equals(key)).findFirst();
  }

  public Optional<Operation> first(Status status) {
    return operations.stream().filter(o -> o.is(status)).findFirst();
  }
}
