package dev.belay.core.state;

import dev.belay.core.model.Sorted;
import dev.belay.core.state.RecordedStep.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

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

  /** The argument of a recorded step that names the command. */
  public static final String VERB = "verb";

  /** Where a member says, among its readings, what its term is now. */
  public static final String TERM = "term";

  public Command {
    arguments = Sorted.copyOf(arguments);
  }

  /** The command of a recorded step; empty when the step is none. */
  public static Optional<Command> of(RecordedStep recorded) {
    if (!(recorded.fence() instanceof Fence.MemberTerm(String member, String term))
        || !recorded.is(Kind.TELL)) {
      return Optional.empty();
    }
    var arguments = new TreeMap<>(recorded.step().arguments());
    String verb = Objects.requireNonNullElse(arguments.remove(VERB), "");
    return Optional.of(
        new Command(verb, member, recorded.object(), recorded.what(), term, arguments));
  }

  /** What of it is written down with its step. */
  public Map<String, String> recorded() {
    var all = new TreeMap<>(arguments);
    all.put(VERB, verb);
    return all;
  }

  /** One of its arguments; empty when it has none of this name. */
  public String argument(String name) {
    return arguments.getOrDefault(name, "");
  }

  /** Whether it tells the same member the same, in whatever state that is. */
  public boolean isSameAs(Command other) {
    return verb.equals(other.verb)
        && memberId.equals(other.memberId)
        && object.equals(other.object)
        && arguments.equals(other.arguments);
  }
}
