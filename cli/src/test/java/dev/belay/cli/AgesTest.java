package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How ages read. */
class AgesTest {

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 s, 0s",
    "PT119S, 119 s, 119s",
    "PT2M59S, 2 min, 2m",
    "PT59M, 59 min, 59m",
    "PT1H, 1 h, 1h",
    "PT2H5M, 2 h 5 min, 2h5m",
    "PT47H59M, 47 h 59 min, 47h59m",
    "P2D, 2 d, 2d",
    "P400D, 400 d, 400d"
  })
  void ages_have_two_parts_at_most(Duration age, String words, String compact) {
    assertThat(Ages.words(age)).isEqualTo(words);
    assertThat(Ages.compact(age)).isEqualTo(compact);
  }

  @Test
  void an_unknown_time_has_no_age_and_a_future_one_is_now() {
    Instant now = Samples.NOW;
    assertThat(Ages.since(null, now)).isEmpty();
    assertThat(Ages.since("yesterday", now)).isEmpty();
    assertThat(Ages.since("1970-01-01T00:00:00Z", now)).isEmpty();
    assertThat(Ages.since("2026-11-16T10:00:05Z", now)).contains(Duration.ZERO);
  }
}
