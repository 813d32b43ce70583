package dev.belay.sim.explore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Spec.OnFailure;
import dev.belay.core.model.Workload.Order;
import dev.belay.core.rules.GroupRules;
import dev.belay.core.rules.PodRules;
import dev.belay.core.rules.UpgradeRules;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.OtherRules;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Small worlds, breadth-first; BELAY_SIM_WORLDS says how many of each kind at most. */
class ExplorerTest {

  private static final int BUDGET =
      Integer.parseInt(System.getenv().getOrDefault("BELAY_SIM_WORLDS", "3000"));

  /** Rules without which something must go wrong soon, and how. */
  enum Forgotten {
    LEADERS("S2", GroupRules.LEADER_MOVES_FIRST),
    HEALTH(
        "S3",
        PodRules.ONE_AT_A_TIME,
        GroupRules.EVERYONE_ELSE_IS_HEALTHY,
        GroupRules.EVERY_GROUP_SURVIVES),
    FAILURES("S9", UpgradeRules.REVISION_IS_NOT_REFUSED),
    THE_PAUSE("S11", UpgradeRules.NOT_PAUSED);

    private final String promise;
    private final List<Rule> rules;

    Forgotten(String promise, Reason... forgotten) {
      this.promise = promise;
      this.rules = OtherRules.without(forgotten);
    }
  }

  @Test
  void no_small_world_breaks_a_promise() {
    holds(Atlas.of(List.of(1, 2, 3, 5), 2, 2), BUDGET);
  }

  @Test
  void no_small_world_of_two_components_breaks_a_promise() {
    holds(Atlas.pairs(List.of(1, 2, 3), 2, 1), BUDGET / 3);
  }

  private static void holds(List<Terrain> terrains, int budget) {
    var broken = new ArrayList<String>();
    long worlds = 0;
    for (Terrain terrain : terrains) {
      Exploration found = Explorer.explore(terrain, budget);
      worlds += found.worlds();
      if (!found.good()) {
        broken.add(found.story());
      }
    }

    System.out.printf("%d distinct small worlds of %d kinds%n", worlds, terrains.size());
    assertThat(broken).isEmpty();
    assertThat(worlds).isGreaterThan((long) terrains.size() * budget / 2);
  }

  @Test
  void components_that_see_nothing_of_each_other_are_found() {
    List<Rule> rules = OtherRules.changed(PodRules.ONE_AT_A_TIME, ExplorerTest::blind);
    var terrain = new Terrain(List.of(1, 1), Order.PARALLEL, true, OnFailure.HOLD, 2, 1);

    Exploration found = Explorer.explore(terrain, 200_000, rules);

    assertThat(found.violation().orElseThrow().promise()).isEqualTo("S3");
    assertThat(found.path()).hasSizeLessThan(20);
    System.out.println(found.story());
  }

  private static Rule.Judge blind(Rule.Judge judge) {
    return (s, component, step) ->
        judge.object(
            new Snapshot(s.subject(), s.self(), s.spec(), List.of(component), s.memory(), s.at()),
            component,
            step);
  }

  @ParameterizedTest
  @EnumSource(Forgotten.class)
  void a_forgotten_rule_is_found_and_told_in_few_words(Forgotten forgotten) {
    var terrain = new Terrain(3, Order.PARALLEL, true, OnFailure.HOLD, 2, 1);

    Exploration found = Explorer.explore(terrain, 200_000, forgotten.rules);

    assertThat(found.violation()).isPresent();
    assertThat(found.violation().get().promise()).isEqualTo(forgotten.promise);
    assertThat(found.path()).hasSizeLessThan(20);
    System.out.println(found.story());
  }

  @Test
  void a_world_without_changes_and_faults_is_settled_from_the_start() {
    var terrain = new Terrain(3, Order.ORDERED_READY, true, OnFailure.HOLD, 0, 0);

    Exploration found = Explorer.explore(terrain, 1000);

    assertThat(found.good()).as(found.story()).isTrue();
    assertThat(found.whole()).isTrue();
    assertThat(found.worlds()).isLessThan(10);
  }
}
