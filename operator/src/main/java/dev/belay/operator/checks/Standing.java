package dev.belay.operator.checks;

import dev.belay.core.model.Check;
import dev.belay.core.model.Check.State;
import dev.belay.operator.wire.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Where a question stands after its last answer.
 *
 * @param failures bad answers in a row
 * @param asked when the last answer was asked for
 * @param answered when it came
 */
record Standing(State state, int failures, String reading, Instant asked, Instant answered) {

  /** After one more answer: a good one ends the count, the last of the tries fails the check. */
  static Standing after(
      Optional<Standing> before, Answer answer, int tries, Instant asked, Instant answered) {
    if (answer.good()) {
      return new Standing(State.PASSED, 0, answer.reading(), asked, answered);
    }
    int failures = Math.min(tries, before.map(Standing::failures).orElse(0) + 1);
    String reading =
        failures < tries
            ? answer.reading() + " (try " + failures + " of " + tries + ")"
            : answer.reading();
    return new Standing(
        failures < tries ? State.TRYING : State.FAILED, failures, reading, asked, answered);
  }

  /** Two intervals and an answer's time: one answer may go missing, not two. */
  boolean fresh(Duration interval, Duration timeout, Instant now) {
    return !answered.plus(interval.multipliedBy(2)).plus(timeout).isBefore(now);
  }

  Check.Result result(Check check, String uid) {
    return new Check.Result(check, uid, state, reading, asked);
  }
}
