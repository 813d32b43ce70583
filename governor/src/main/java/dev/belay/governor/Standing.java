package dev.belay.governor;

import dev.belay.governor.files.Migration.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What one look at the queue has shown to a {@link Coupling}. */
public sealed interface Standing {

  /**
   * It could be read.
   *
   * @param operations what is done of the given migrations, what is open in the queue, what is not
   *     in it yet, and what others have queued: in the order in which they are taken
   * @param floor where the way back ends, if it does
   * @param misfit why the migrations do not fit each other or the queue; a person has to correct
   *     something
   * @param holder the session that holds the lock, if the database can tell
   * @param denied the right that the user lacks to go on
   */
  record Known(
      List<Operation> operations,
      Optional<Floor> floor,
      Optional<String> misfit,
      Optional<Holder> holder,
      Optional<Denied> denied)
      implements Standing {
    public Known {
      operations = List.copyOf(operations);
    }
  }

  /** The database does not answer: nothing is known. */
  record Unknown(String why) implements Standing {}

  /** The queue is there, or may be, and this user may not read it. */
  record Unread(Denied denied) implements Standing {}

  /**
   * A missing right.
   *
   * @param words what the database says
   * @param grant the statement that gives it
   */
  record Denied(String words, String grant) {}

  /**
   * Whoever holds the lock.
   *
   * @param idle how long it has done nothing; empty while it works
   * @param hidden whether nobody can say what it does
   * @param ending the statement that ends it
   */
  record Holder(String who, Optional<Duration> idle, boolean hidden, String ending) {}

  /**
   * How far an operation has come. Running is what was begun and is not over: beginning goes on
   * with it. Done is what every master and every declared replica has.
   */
  enum Status {
    PENDING,
    RUNNING,
    DONE,
    FAILED
  }

  /**
   * One operation.
   *
   * @param id 0 while it is not in the queue yet
   * @param phase empty for a custom operation
   * @param text the error, or what it waits for; else empty
   * @param started whether a database may have something of it
   * @param attempt 1, and one more for each decision of a person
   */
  record Operation(
      long id,
      Optional<String> version,
      String description,
      Optional<Phase> phase,
      Status status,
      String text,
      boolean reversible,
      boolean started,
      int attempt) {}

  /**
   * Where the way back ends.
   *
   * @param version empty: an operation without a version ends every way back
   */
  record Floor(long operation, Optional<String> version, String description) {}
}
