package dev.belay.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProbeCounterTest {
  @Test
  void becomes_ready_only_after_enough_successes_in_a_row() {
    ProbeCounter counter = new ProbeCounter(2, 3, false);
    assertThat(counter.after(true)).isFalse();
    assertThat(counter.after(false)).isFalse();
    assertThat(counter.after(true)).isFalse();
    assertThat(counter.after(true)).isTrue();
  }

  @Test
  void stays_ready_until_enough_failures_in_a_row() {
    ProbeCounter counter = new ProbeCounter(1, 3, true);
    assertThat(counter.after(false)).isTrue();
    assertThat(counter.after(false)).isTrue();
    assertThat(counter.after(true)).isTrue();
    assertThat(counter.after(false)).isTrue();
    assertThat(counter.after(false)).isTrue();
    assertThat(counter.exhausted()).isFalse();
    assertThat(counter.after(false)).isFalse();
    assertThat(counter.exhausted()).isTrue();
  }

  @Test
  void gives_up_on_one_that_was_never_well() {
    ProbeCounter counter = new ProbeCounter(1, 2, false);
    counter.after(false);
    assertThat(counter.exhausted()).isFalse();
    counter.after(false);
    assertThat(counter.exhausted()).isTrue();
  }
}
