package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ShrinkerTest {

  @Test
  void a_failing_run_gets_shorter_and_still_breaks_the_same_promise() {
    PlantedBugs bug = PlantedBugs.NODES_ARE_OVERLOOKED;
    Outcome failing =
        LongStream.rangeClosed(1, 1000)
            .mapToObj(seed -> Simulation.run(Scenario.of(seed), bug.seams()))
            .filter(o -> !o.good() && o.scenario().faults().size() > 3)
            .findFirst()
            .orElseThrow();

    Outcome shrunk = new Shrinker(bug.seams()).shrink(failing);

    assertThat(shrunk.violation().orElseThrow().promise())
        .isEqualTo(failing.violation().orElseThrow().promise());
    assertThat(shrunk.scenario().faults()).hasSizeLessThan(failing.scenario().faults().size());
    assertThat(failing.story()).contains("replay: bin/belay-sim run --seed");
    assertThat(shrunk.story()).as("its seed alone would give another run").doesNotContain("replay");
  }

  @Test
  void what_is_shown_is_saved_and_the_command_runs_that_very_file() throws IOException {
    PlantedBugs bug = PlantedBugs.NODES_ARE_OVERLOOKED;
    Outcome failing =
        LongStream.rangeClosed(1, 1000)
            .mapToObj(seed -> Simulation.run(Scenario.of(seed), bug.seams()))
            .filter(o -> !o.good())
            .findFirst()
            .orElseThrow();

    Find find = Find.of(failing, bug.seams());

    assertThat(find.story()).contains("run --scenario " + find.file() + " --trace");
    assertThat(Simulation.run(ScenarioFile.read(find.file()), bug.seams()).hash())
        .isEqualTo(find.outcome().hash());
  }
}
