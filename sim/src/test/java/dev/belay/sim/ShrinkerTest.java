package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

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
    assertThat(shrunk.story()).contains("replay: bin/belay-sim run --seed");
  }
}
