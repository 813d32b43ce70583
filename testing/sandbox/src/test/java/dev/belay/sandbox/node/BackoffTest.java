package dev.belay.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private final Backoff backoff = new Backoff(Duration.ofSeconds(10));

  @Test
  void restarts_at_once_then_doubles_up_to_five_minutes() {
    assertThat(Stream.generate(() -> backoff.after(Duration.ofSeconds(1)).toSeconds()).limit(8))
        .containsExactly(0L, 10L, 20L, 40L, 80L, 160L, 300L, 300L);
  }

  @Test
  void forgets_old_crashes_after_ten_good_minutes() {
    for (int i = 0; i < 5; i++) {
      backoff.after(Duration.ofSeconds(1));
    }
    assertThat(backoff.after(Duration.ofMinutes(11))).isEqualTo(Duration.ZERO);
    assertThat(backoff.after(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(10));
  }
}
