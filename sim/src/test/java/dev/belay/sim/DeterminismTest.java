package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeterminismTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 7, 42, 1234, 99_999})
  void the_same_seed_gives_the_same_run(long seed) {
    Outcome once = Simulation.run(Scenario.of(seed));
    Outcome again = Simulation.run(Scenario.of(seed));

    assertThat(again.trace()).isEqualTo(once.trace());
    assertThat(again.hash()).isEqualTo(once.hash());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 7, 42})
  void another_seed_gives_another_run(long seed) {
    assertThat(Simulation.run(Scenario.of(seed)).hash())
        .isNotEqualTo(Simulation.run(Scenario.of(seed + 1)).hash());
  }
}
