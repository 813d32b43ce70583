package dev.belay.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.WriteLoad.Verdict;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LedgerTest {

  private static final long MS = 1_000_000;
  private final Ledger ledger = new Ledger();

  @Test
  void the_longest_silence_between_two_acknowledged_writes_is_the_gap() {
    ledger.acknowledge("a", "1", 100 * MS);
    ledger.acknowledge("b", "2", 150 * MS);
    ledger.acknowledge("c", "3", 2150 * MS);
    ledger.acknowledge("d", "4", 2160 * MS);

    assertThat(ledger.figures(2170 * MS).longestGap()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void what_was_silent_before_the_pace_rose_does_not_count() {
    ledger.acknowledge("a", "1", 0);
    ledger.acknowledge("b", "2", 2000 * MS);
    ledger.beginGap(2500 * MS);
    ledger.acknowledge("c", "3", 2600 * MS);

    assertThat(ledger.figures(2600 * MS).longestGap()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void a_silence_that_still_lasts_counts() {
    ledger.acknowledge("a", "1", 0);
    ledger.fail();

    var figures = ledger.figures(3000 * MS);

    assertThat(figures.openGap()).isEqualTo(Duration.ofSeconds(3));
    assertThat(figures.longestGap()).isEqualTo(Duration.ofSeconds(3));
    assertThat(figures.failed()).isEqualTo(1);
    assertThat(figures.perSecond()).isZero();
  }

  @Test
  void before_the_first_write_there_is_no_gap() {
    assertThat(ledger.figures(9000 * MS).longestGap()).isZero();
  }

  @Test
  void an_acknowledged_key_that_is_missing_is_lost() {
    ledger.acknowledge("a", "1", 0);
    ledger.acknowledge("b", "2", 1);

    assertThat(ledger.judge(Map.of("a", "1"))).isEqualTo(new Verdict(2, 1, 1));
  }

  @Test
  void an_acknowledged_key_with_another_value_is_lost() {
    ledger.acknowledge("a", "1", 0);

    assertThat(ledger.judge(Map.of("a", "2"))).isEqualTo(new Verdict(1, 0, 1));
  }

  @Test
  void a_key_that_was_once_read_as_missing_stays_lost() {
    ledger.acknowledge("a", "1", 0);
    ledger.contradict("a");

    assertThat(ledger.judge(Map.of("a", "1")).lost()).isEqualTo(1);
  }

  @Test
  void a_key_that_was_never_acknowledged_is_nobodys_loss() {
    ledger.acknowledge("a", "1", 0);

    assertThat(ledger.judge(Map.of("a", "1", "b", "2"))).isEqualTo(new Verdict(1, 1, 0));
  }
}
