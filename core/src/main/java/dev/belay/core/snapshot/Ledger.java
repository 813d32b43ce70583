package dev.belay.core.snapshot;

import java.time.Instant;
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
 * @param atWork who carries an operation out right now; empty when nobody does
 * @param hitch why the last one did not even begin
 * @param answer why a person's decision was refused
 */
public record Ledger(
    List<Operation> operations,
    Optional<Closed> closed,
    String misfit,
    String atWork,
    Optional<Hitch> hitch,
    Optional<Answer> answer) {

  public static final Ledger NONE = new Ledger(List.of(), Optional.empty());

  public Ledger {
    operations = List.copyOf(operations);
  }

  /** One in which nothing is under way. */
  public Ledger(List<Operation> operations, Optional<Closed> closed) {
    this(operations, closed, "", "", Optional.empty(), Optional.empty());
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

  /** Why an operation that should have run did not begin, and when that was. */
  public record Hitch(String why, Instant at) {}

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
