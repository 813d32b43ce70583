package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The same runs take the same steps as when the files in {@code steps} were written. A change that
 * means to change the steps writes them anew with -Dbelay.rewrite=true.
 */
class StepSequencesTest {

  private static final Path RECORDED = Path.of("src/test/resources/steps");
  private static final int SHOWN = 20;

  @Test
  void the_scenarios_take_the_recorded_steps() throws IOException {
    compare("scenarios.txt", StepSequences.ofScenarios(Path.of("scenarios")));
  }

  @Test
  void the_seeds_take_the_recorded_steps() throws IOException {
    compare("seeds.txt", StepSequences.ofSeeds(300_000_000, 500));
  }

  @Test
  void the_crash_plans_take_the_recorded_steps() throws IOException {
    compare("crash-plans.txt", StepSequences.ofCrashPlans(10));
  }

  private static void compare(String name, List<String> lines) throws IOException {
    Path file = RECORDED.resolve(name);
    if (Boolean.getBoolean("belay.rewrite")) {
      Files.createDirectories(RECORDED);
      Files.write(file, lines);
    }
    List<String> recorded = Files.readAllLines(file);
    var other = new ArrayList<String>();
    for (String line : lines) {
      if (!recorded.contains(line)) {
        String run = line.substring(0, line.indexOf("  "));
        other.add(run + ": bin/belay-sim steps --full \"" + run + "\"");
      }
    }
    assertThat(other.stream().limit(SHOWN))
        .as(other.size() + " runs take other steps than in " + file + "; look at each of them")
        .isEmpty();
    assertThat(lines).as("the runs in " + file).containsExactlyElementsOf(recorded);
  }
}
