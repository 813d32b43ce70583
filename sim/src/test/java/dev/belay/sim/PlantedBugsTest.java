package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each checker is shown to bite: a planted bug is found within 1,000 seeds. */
class PlantedBugsTest {

  private static final long SEEDS = 1000;

  @ParameterizedTest
  @EnumSource(PlantedBugs.class)
  void a_planted_bug_is_found(PlantedBugs bug) {
    Outcome found = found(bug, _ -> true);
    assertThat(bug.promises()).as(found.story()).contains(promise(found));
  }

  /** Promises that another one is always broken before: their checkers bite all the same. */
  @ParameterizedTest
  @CsvSource({"S15, COMPLETE_TOO_EARLY", "L4, COMPLETE_TOO_EARLY", "L5, BROKEN_PODS_ARE_LEFT"})
  void a_promise_is_shown_by_a_bug(String promise, PlantedBugs bug) {
    assertThat(promise(found(bug, o -> promise(o).equals(promise)))).isEqualTo(promise);
  }

  private static Outcome found(PlantedBugs bug, Predicate<Outcome> such) {
    Optional<Outcome> found =
        LongStream.rangeClosed(1, SEEDS)
            .mapToObj(seed -> Simulation.run(Scenario.of(seed), bug.seams()))
            .filter(o -> !o.good() && such.test(o))
            // What breaks without the bug does not count as finding it.
            .filter(o -> Simulation.run(o.scenario()).good())
            .findFirst();
    assertThat(found).as("%s is found within %d seeds", bug, SEEDS).isPresent();
    Outcome o = found.get();
    System.out.printf("%-40s found by %s at seed %d%n", bug, promise(o), o.scenario().seed());
    return o;
  }

  private static String promise(Outcome broken) {
    return broken.violation().orElseThrow().promise();
  }
}
