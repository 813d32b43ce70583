package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.sim.check.Violation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each checker is shown to bite: a planted bug is found within 1,000 seeds. Where it was found is
 * remembered and tried first, since some are found only by the last of them.
 */
class PlantedBugsTest {

  private static final long SEEDS = 1000;

  /** Promises that another one is always broken before: their checkers bite all the same. */
  enum Hidden {
    S15(PlantedBugs.COMPLETE_TOO_EARLY),
    L2(PlantedBugs.STEPS_COME_LATE),
    L4(PlantedBugs.COMPLETE_TOO_EARLY),
    L5(PlantedBugs.BROKEN_PODS_ARE_LEFT),
    L6(PlantedBugs.A_MISSING_GUARD_GOES_UNNOTICED);

    private final PlantedBugs bug;

    Hidden(PlantedBugs bug) {
      this.bug = bug;
    }

    String words() {
      return bug + " by " + this;
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_planted_bug_is_found(PlantedBugs bug) {
    Outcome found = found(bug, bug.name(), o -> bug.promises().contains(promise(o)));
    assertThat(bug.promises()).contains(promise(found));
  }

  @ParameterizedTest
  @EnumSource
  void a_promise_is_shown_by_a_bug(Hidden hidden) {
    Outcome found = found(hidden.bug, hidden.words(), o -> promise(o).equals(hidden.name()));
    assertThat(promise(found)).isEqualTo(hidden.name());
  }

  @ParameterizedTest
  @EnumSource
  void a_staged_bug_is_found_in_its_scenario(StagedBugs bug) throws IOException {
    Scenario scenario = ScenarioFile.read(Path.of("scenarios", bug.scenario()));
    Outcome found = Simulation.run(scenario, bug.seams());
    assertThat(found.violation()).map(Violation::promise).contains(bug.promise());
    assertThat(Simulation.run(scenario).violation()).as("without the bug").isEmpty();
  }

  @Test
  void nothing_else_is_remembered() {
    Set<String> bugs =
        Arrays.stream(PlantedBugs.values()).map(Enum::name).collect(Collectors.toSet());
    Arrays.stream(Hidden.values()).map(Hidden::words).forEach(bugs::add);
    FoundAt.keepOnly(bugs);
    assertThat(FoundAt.names()).as(FoundAt.CURE).isEqualTo(new TreeSet<>(bugs));
  }

  @Test
  void every_promise_is_shown_by_a_bug() {
    var all = new TreeSet<String>();
    IntStream.rangeClosed(1, 16).mapToObj(i -> "S" + i).forEach(all::add);
    IntStream.rangeClosed(1, 7).mapToObj(i -> "L" + i).forEach(all::add);
    var shown = new TreeSet<>(FoundAt.promises());
    Arrays.stream(StagedBugs.values()).map(StagedBugs::promise).forEach(shown::add);
    assertThat(shown).as(FoundAt.CURE).isEqualTo(all);
  }

  private static Outcome found(PlantedBugs bug, String name, Predicate<Outcome> such) {
    Optional<Long> remembered =
        FoundAt.find(name).map(FoundAt.Find::seed).filter(seed -> seed >= 1 && seed <= SEEDS);
    Optional<Outcome> found =
        remembered
            .flatMap(seed -> bites(bug, seed, such))
            .or(() ->
                LongStream.rangeClosed(1, SEEDS)
                    .mapToObj(seed -> bites(bug, seed, such))
                    .flatMap(Optional::stream)
                    .findFirst());
    assertThat(found).as("%s is found within %d seeds", name, SEEDS).isPresent();
    Outcome o = found.get();
    long seed = o.scenario().seed();
    System.out.printf("%-40s found by %s at seed %d%n", name, promise(o), seed);
    var find = new FoundAt.Find(promise(o), seed);
    FoundAt.remember(name, find);
    if (FoundAt.find(name).filter(find::equals).isEmpty()) {
      System.out.println("no longer found as it was, which takes longer: " + FoundAt.CURE);
    }
    return o;
  }

  private static Optional<Outcome> bites(PlantedBugs bug, long seed, Predicate<Outcome> such) {
    return Optional.of(Simulation.run(Scenario.of(seed), bug.seams()))
        .filter(o -> !o.good() && such.test(o))
        // What breaks without the bug does not count as finding it.
        .filter(o -> Simulation.run(o.scenario()).good());
  }

  private static String promise(Outcome broken) {
    return broken.violation().orElseThrow().promise();
  }
}
