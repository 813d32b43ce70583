package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each checker is shown to bite: a planted bug is found within 1,000 seeds. */
class PlantedBugsTest {

  private static final long SEEDS = 1000;

  @ParameterizedTest
  @EnumSource(PlantedBugs.class)
  void a_planted_bug_is_found(PlantedBugs bug) {
    Optional<Outcome> found =
        LongStream.rangeClosed(1, SEEDS)
            .mapToObj(seed -> Simulation.run(Scenario.of(seed), bug.seams()))
            .filter(o -> !o.good())
            // What breaks without the bug does not count as finding it.
            .filter(o -> Simulation.run(o.scenario()).good())
            .findFirst();

    assertThat(found).as("%s is found within %d seeds", bug, SEEDS).isPresent();
    String promise = found.get().violation().orElseThrow().promise();
    System.out.printf(
        "%-40s found by %s at seed %d%n", bug, promise, found.get().scenario().seed());
    assertThat(bug.promises()).as(found.get().story()).contains(promise);
  }
}
