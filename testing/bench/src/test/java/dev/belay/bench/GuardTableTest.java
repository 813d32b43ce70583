package dev.belay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.belay.bench.GuardCell.Guarding;
import dev.belay.bench.GuardCell.Write;
import dev.belay.bench.GuardTable.Bound;
import dev.belay.bench.GuardTable.Finding;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class GuardTableTest {

  private static final GuardCell LARGE = new GuardCell(Write.RELEASED, 80, 1_000, Guarding.BARE);

  private final Map<GuardCell, Latencies> measured = new HashMap<>();

  GuardTableTest() {
    for (GuardCell cell : GuardCell.all()) {
      measured.put(cell, millis(cell.labelled() ? 15 : 10));
    }
  }

  private static Latencies millis(long... times) {
    return new Latencies(LongStream.of(times).mapToObj(Duration::ofMillis).toList());
  }

  private List<Finding> missed() {
    return new GuardTable(measured).findings().stream().filter(f -> !f.held()).toList();
  }

  @Test
  void takes_the_median_and_the_p95_at_the_nearest_rank_in_any_order() {
    Latencies latencies =
        new Latencies(
            LongStream.rangeClosed(1, 101)
                .mapToObj(i -> Duration.ofMillis(i * 37 % 101 + 1))
                .toList());
    assertThat(latencies.medianMillis()).isEqualTo(51);
    assertThat(latencies.quantileMillis(0.95)).isEqualTo(96);
    assertThat(millis().medianMillis()).isNaN();
  }

  @Test
  void has_two_bounds_per_row_and_one_per_pair_of_rows() {
    assertThat(new GuardTable(measured).findings()).hasSize(18 * 2 + 9);
    assertThat(missed()).isEmpty();
  }

  @Test
  void holds_a_labelled_write_of_twice_the_time_and_misses_more() {
    measured.put(LARGE.with(Guarding.LABELLED), millis(20));
    assertThat(missed()).extracting(Finding::bound).doesNotContain(Bound.LABELLED);
    measured.put(LARGE.with(Guarding.LABELLED), millis(21));
    assertThat(missed()).extracting(Finding::bound).contains(Bound.LABELLED);
  }

  @Test
  void misses_an_unlabelled_write_that_the_policies_slow_down() {
    measured.put(LARGE.with(Guarding.UNLABELLED), millis(12));
    assertThat(missed())
        .singleElement()
        .satisfies(f -> assertThat(f.bound()).isEqualTo(Bound.UNLABELLED))
        .satisfies(f -> assertThat(f.ratio()).isEqualTo(1.2, within(1e-9)));
  }

  @Test
  void misses_labelled_writes_that_grow_with_the_number_of_clusters() {
    measured.put(LARGE.with(Guarding.LABELLED), millis(18));
    assertThat(missed()).containsExactly(new Finding(Bound.FLAT, 1.2, "new template, 80 KB"));
  }

  @Test
  void prints_a_row_per_write_size_and_number_of_clusters_and_a_line_per_bound() {
    measured.put(LARGE.with(Guarding.LABELLED), millis(25));
    List<String> lines = new GuardTable(measured).lines();
    assertThat(lines).hasSize(1 + 18 + 1 + 3);
    assertThat(lines)
        .contains(
            "new template                    80 KB    1,000   10.00   10.00   10.00   10.00  1.00 "
                + "   25.00   25.00  2.50!",
            "wanted: unlabelled 1.0 x bare (limit 1.10): held in all 18; highest 1.00"
                + " (new template, 1 KB, 1 StatefulCluster)",
            "wanted: labelled at most 2 x bare (limit 2.00): missed in 1 of 18; highest 2.50"
                + " (new template, 80 KB, 1,000 StatefulClusters)");
  }

  @Test
  void refuses_a_table_with_a_case_that_was_not_measured() {
    measured.remove(LARGE);
    assertThatThrownBy(() -> new GuardTable(measured)).hasMessageContaining("not measured");
  }
}
