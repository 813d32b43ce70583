package dev.belay.governor.queue;

/**
 * One row of the queue, as far as the order of work depends on it.
 *
 * @param attempt grows with every decision of a person (retry, skip, resolve), so that what an
 *     earlier attempt left behind can be told from what this one does
 * @param statements how many statements it has
 * @param tries how often it has met a busy lock in this attempt
 * @param started whether a master may already know of it
 */
public record Operation(long id, int attempt, Way way, int statements, int tries, boolean started) {

  /** How an operation is kept from running twice. */
  public enum Way {
    /** Operation and status commit together; other masters prepare before that. */
    TRANSACTION,
    /** Each statement stands between a written intent and a written acknowledgement. */
    STEPS
  }

  public Ticket ticket() {
    return new Ticket(id, attempt);
  }

  /** The name under which a master prepares one attempt of one operation. */
  public record Ticket(long id, int attempt) {
    @Override
    public String toString() {
      return "operation " + id;
    }
  }
}
