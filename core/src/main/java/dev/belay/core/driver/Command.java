package dev.belay.core.driver;

import dev.belay.core.snapshot.Sorted;
import java.time.Duration;
import java.util.Map;

/**
 * One thing that a system is told in its own words: a single idempotent effect.
 *
 * @param verb which of the driver's commands
 * @param memberId the member it is sent to
 * @param object the pod or member it concerns, for people
 * @param what it does, in words that make sense in a status
 * @param term what the driver checks once more before it sends it: the command is dropped when the
 *     member is not, or no longer, what it was when this was decided
 * @param arguments what the verb needs
 */
public record Command(
    String verb,
    String memberId,
    String object,
    String what,
    String term,
    Map<String, String> arguments) {

  /**
   * How long after the look that it was decided on a command, or a transfer of leadership, may
   * still be sent: until then whoever looks next waits for it, and then takes it for dead.
   */
  public static final Duration LIFE = Duration.ofSeconds(10);

  /** Where a member says, among its readings, what its term is now. */
  public static final String TERM = "term";

  public Command {
    arguments = Sorted.copyOf(arguments);
  }
}
