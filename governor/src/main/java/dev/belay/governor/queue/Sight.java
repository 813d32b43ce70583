package dev.belay.governor.queue;

import dev.belay.governor.queue.Operation.Ticket;
import java.util.List;
import java.util.Optional;

/**
 * What one look at the queue and at the masters has shown.
 *
 * @param unsettled a decided operation that some master may not have been told about
 * @param stop the failed row that stops the line
 * @param next the operation to run: one that was started, else the first in order
 * @param flaw why the next operation can never run as it is written, if so
 * @param waiting why no operation may run although there are some, if so
 * @param masters every master that takes part besides home; for steps, home is among them
 * @param behind declared replicas that are out of reach or have not replayed the unsettled
 *     operation, each with the reason
 */
public record Sight(
    Optional<Operation> unsettled,
    Optional<Stop> stop,
    Optional<Operation> next,
    Optional<String> flaw,
    Optional<String> waiting,
    List<Holding> masters,
    List<String> behind) {

  public Sight {
    masters = List.copyOf(masters);
    behind = List.copyOf(behind);
  }

  /** A failed row and its text. */
  public record Stop(long id, String error) {}

  /** What one master holds. */
  public sealed interface Holding {
    String master();

    /** It cannot be reached, or must not be used. */
    record Absent(String master, String why) implements Holding {}

    /** It is there, locked by this governor. */
    record Present(String master, List<Held> prepared, Progress progress) implements Holding {
      public Present {
        prepared = List.copyOf(prepared);
      }
    }
  }

  /** A prepared transaction and what the queue says about it. */
  public record Held(Ticket ticket, Fate fate) {
    /** What was decided. */
    public enum Fate {
      COMMIT,
      ABORT,
      UNDECIDED
    }
  }

  /**
   * How far the next operation has come on a master that goes by steps.
   *
   * @param acknowledged that many statements are acknowledged
   * @param intended the one after them was intended
   */
  public record Progress(int acknowledged, boolean intended) {
    public static final Progress NONE = new Progress(0, false);
  }
}
