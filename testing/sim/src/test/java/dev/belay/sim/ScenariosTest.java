package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the simulator once found stays found. */
class ScenariosTest {

  static List<Path> scenarios() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("scenarios"))) {
      return files.filter(f -> f.toString().endsWith(".txt")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void a_bug_that_was_fixed_stays_fixed(Path file) throws IOException {
    Outcome outcome = Simulation.run(ScenarioFile.read(file));

    assertThat(outcome.violation()).as(outcome.story()).isEmpty();
  }

  @Test
  void a_saved_scenario_is_the_run_it_was_saved_from(@TempDir Path dir) throws IOException {
    Scenario scenario = Scenario.of(17);
    Path file = dir.resolve("seventeen.txt");
    Files.writeString(file, ScenarioFile.write(scenario, "seed 17"));

    assertThat(ScenarioFile.read(file)).isEqualTo(scenario);
    assertThat(Simulation.run(ScenarioFile.read(file)).hash())
        .isEqualTo(Simulation.run(scenario).hash());
  }
}
