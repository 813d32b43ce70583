package dev.belay.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Spec;
import dev.belay.core.report.Report;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Which version a cluster has whose first component has one of its own, as bookies under Pravega.
 */
class ClusterVersionTest {

  private final ScriptedWorld world = ScriptedWorld.settled(3);
  private final ScriptedWorld store = world.and("store", 2);

  ClusterVersionTest() {
    store.system.memberless = true;
    world.trigger = Spec.Trigger.VERSION;
    world.version = Optional.of("1.0");
    world.ownVersion = Optional.of("3.5.35");
    world.images = Map.of("etcd", "etcd:{version}");
    store.images = Map.of("store", "store:{version}");
    for (int i = 0; i < 5; i++) {
      world.turn();
    }
  }

  @Test
  void it_is_that_of_the_first_component_without_one_of_its_own() {
    Report report = world.turn().report();

    assertThat(report.currentVersion()).isEqualTo("1.0");
    assertThat(report.targetVersion()).isEmpty();
  }

  @Test
  void it_goes_where_all_are_asked_to_go_already_while_the_first_moves() {
    world.version = Optional.of("2.0");
    world.ownVersion = Optional.of("3.6.16");

    Report report = setTemplateAndLookAgain();

    assertThat(report.components().getFirst().targetVersion()).isEqualTo("3.6.16");
    assertThat(report.targetVersion()).isEqualTo("2.0");
    assertThat(report.currentVersion()).isEqualTo("1.0");
  }

  @Test
  void where_only_the_first_one_moves_the_target_is_its_own() {
    world.ownVersion = Optional.of("3.6.16");

    Report report = setTemplateAndLookAgain();

    assertThat(report.targetVersion()).isEqualTo("3.6.16");
    assertThat(report.currentVersion()).isEqualTo("1.0");
  }

  private Report setTemplateAndLookAgain() {
    world.turn();
    return world.turn().report();
  }
}
