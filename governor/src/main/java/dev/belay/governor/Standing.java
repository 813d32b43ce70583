package dev.belay.governor;

import dev.belay.governor.files.Migration.Phase;
import java.util.List;
import java.util.Optional;

/** What one look at the queue has shown to a {@link Coupling}. */
public sealed interface Standing {

  /**
   * It could be read.
   *
   * @param operations the given migrations in order, then what else is in the queue and not over
   * @param floor where the way back ends, if it does
   */
  record Known(List<Operation> operations, Optional<Floor> floor) implements Standing {
    public Known {
      operations = List.copyOf(operations);
    }
  }

  /** The database does not answer: nothing is known. */
  record Unknown(String why) implements Standing {}

  /** The migrations do not fit each other or the queue; a person has to correct something. */
  record Refused(String why) implements Standing {}

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
   */
  record Operation(
      long id,
      Optional<String> version,
      String description,
      Optional<Phase> phase,
      Status status,
      String text,
      boolean reversible,
      boolean started) {}

  /**
   * Where the way back ends.
   *
   * @param version empty: an operation without a version ends every way back
   */
  record Floor(long operation, Optional<String> version, String description) {}
}
