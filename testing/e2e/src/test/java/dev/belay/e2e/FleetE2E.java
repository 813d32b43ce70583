package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many clusters get a new version in the same minute, and the operator lets one go at a time. */
@ExtendWith(Arena.Provider.class)
class FleetE2E {

  private static final String[] ONE = {"--max-upgrades", "1"};
  private static final List<String> NAMES = List.of("red", "green", "blue");

  @Test
  void a_bad_version_stops_at_the_first_cluster_and_a_good_one_goes_through_them_all(Arena arena) {
    try (Place place = arena.place("fleet")) {
      NAMES.forEach(n -> assertThat(place.apply(set(n).statefulSet()).ok()).isTrue());
      place.await("all members", () -> place.ready() == 6);
      NAMES.forEach(n -> assertThat(place.apply(set(n).statefulCluster()).ok()).isTrue());
      upgraded(arena, place, NAMES.stream().map(place::adopted).toList());
    } finally {
      arena.killOperator();
    }
  }

  private static void upgraded(Arena arena, Place place, List<BelayView> all) {
    try (var pods = new PodHistory(arena.client(), place.namespace())) {
      arena.killOperator(ONE);
      image(place, TinySet.CRASHES);
      place.await("one of them fails", () -> in(all, "Failed").size() == 1);
      place.await("the others wait for it", () -> waiting(all).size() == 2);
      BelayView failed = in(all, "Failed").getFirst();
      assertThat(waiting(all))
          .allSatisfy(b ->
              assertThat(b.sentence())
                  .contains("1 of 1 clusters", "fleet/" + failed.name(), "--max-upgrades"));

      // Who has its place has it after a restart, too.
      arena.killOperator(ONE);
      image(place, "2.0");
      place.await("all are through", () -> place.images().equals(Set.of("tiny:2.0")));
      place.await("all rest", () -> in(all, "Idle").size() == 3);
      assertThat(pods.mostAway()).isEqualTo(1);
      assertThat(pods.lives().values().stream().filter(lives -> lives == 3))
          .as("only one pod ever met the bad version")
          .hasSize(1);
      assertThat(pods.lives().values().stream().filter(lives -> lives == 2)).hasSize(5);
    }
  }

  private static TinySet set(String name) {
    return new TinySet(name, 2, 0, "Parallel");
  }

  private static void image(Place place, String tag) {
    NAMES.forEach(n -> place.kubectl("set", "image", "sts/" + n, "tiny=tiny:" + tag));
  }

  private static List<BelayView> in(List<BelayView> all, String phase) {
    return all.stream().filter(b -> b.phase().equals(phase)).toList();
  }

  private static List<BelayView> waiting(List<BelayView> all) {
    return all.stream().filter(b -> b.rule().equals("FleetHasRoom")).toList();
  }
}
