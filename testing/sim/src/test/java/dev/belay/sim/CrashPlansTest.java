package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.sim.CrashPlans.Plan;
import dev.belay.sim.CrashPlans.Reference;
import dev.belay.sim.CrashPlans.Result;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One reference run of each kind; {@code make proof} takes all of them. */
class CrashPlansTest {

  static List<Reference> references() {
    List<Reference> all = CrashPlans.references();
    return List.of(all.get(0), all.get(1), all.get(5), all.get(6), all.get(7));
  }

  @ParameterizedTest
  @MethodSource("references")
  void no_crash_lost_event_or_old_view_changes_the_end_or_the_number_of_restarts(Reference run) {
    List<Result> results = CrashPlans.run(run);

    var counts =
        results.stream()
            .collect(Collectors.groupingBy(Result::plan, TreeMap::new, Collectors.counting()));
    System.out.printf("%d crash plans for %s: %s%n", results.size(), run, counts);
    assertThat(counts.keySet()).containsExactly(Plan.values());
    assertThat(results.stream().filter(r -> r.trouble().isPresent()).limit(3)).isEmpty();
  }
}
