package dev.belay.sim.differential;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is compared with the real thing must not depend on chance. */
class SimulatedTest {

  static java.util.List<Script> scripts() {
    return Scripts.all();
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void a_script_goes_the_same_way_under_every_seed(Script script) {
    String first = Stage.words(Simulated.play(script, 1));

    for (long seed = 2; seed < 20; seed++) {
      assertThat(Stage.words(Simulated.play(script, seed))).isEqualTo(first);
    }
  }
}
