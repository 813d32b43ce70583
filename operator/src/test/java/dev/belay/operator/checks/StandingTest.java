package dev.belay.operator.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Check.State;
import dev.belay.operator.wire.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How answers add up. */
class StandingTest {

  private static final Instant T = Instant.parse("2026-01-01T00:00:00Z");

  /** y is a good answer, n a bad one. */
  @ParameterizedTest
  @CsvSource({
    "3, y, PASSED",
    "3, n, TRYING",
    "3, nn, TRYING",
    "3, nnn, FAILED",
    "3, nnnnnn, FAILED",
    "3, nnyn, TRYING",
    "3, nnynn, TRYING",
    "3, nnynnn, FAILED",
    "3, nnny, PASSED",
    "3, nnnyn, TRYING",
    "1, n, FAILED",
    "1, ny, PASSED"
  })
  void fails_after_so_many_bad_answers_in_a_row(int tries, String answers, State state) {
    Optional<Standing> standing = Optional.empty();
    for (char c : answers.toCharArray()) {
      Answer answer = c == 'y' ? Answer.good("well") : Answer.bad("unwell");
      standing = Optional.of(Standing.after(standing, answer, tries, T, T));
    }
    assertThat(standing.orElseThrow().state()).isEqualTo(state);
  }

  @Test
  void says_which_try_it_was() {
    Standing first = Standing.after(Optional.empty(), Answer.bad("answered 503"), 2, T, T);
    Standing last = Standing.after(Optional.of(first), Answer.bad("answered 503"), 2, T, T);

    assertThat(first.reading()).isEqualTo("answered 503 (try 1 of 2)");
    assertThat(last.reading()).isEqualTo("answered 503");
  }

  @Test
  void counts_for_two_intervals_and_the_timeout() {
    Duration interval = Duration.ofSeconds(5);
    Duration timeout = Duration.ofSeconds(3);
    Standing standing =
        Standing.after(Optional.empty(), Answer.good("well"), 3, T.minusSeconds(3), T);

    assertThat(standing.fresh(interval, timeout, T.plusSeconds(13))).isTrue();
    assertThat(standing.fresh(interval, timeout, T.plusMillis(13_001))).isFalse();
  }
}
