package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload.Order;
import dev.belay.core.snapshot.Workload.Update;
import dev.belay.sim.world.PartSetup;
import dev.belay.sim.world.Setup;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CrashPlansTest {

  static List<Setup> setups() {
    var rollout = Setup.rollout(Duration.ZERO, 0, false);
    var first =
        new PartSetup(
            Setup.COMPONENT,
            3,
            5,
            Order.ORDERED_READY,
            Duration.ZERO,
            Update.ROLLING_UPDATE,
            "raft",
            rollout,
            false);
    return List.of(
        Setup.plain(3),
        Setup.plain(3, 2),
        Setup.onDelete(5, 2),
        Setup.withActions(3),
        new Setup(false, Spec.Trigger.VERSION, Spec.Upgrade.DEFAULT, List.of(first)));
  }

  @ParameterizedTest
  @MethodSource("setups")
  void a_crash_at_any_write_changes_neither_the_end_nor_the_number_of_restarts(Setup setup) {
    List<CrashPlans.Result> results = CrashPlans.run(11, setup);

    System.out.printf("%d crash plans for %s%n", results.size(), setup);
    assertThat(results).hasSizeGreaterThan(100);
    assertThat(results.stream().filter(r -> r.trouble().isPresent()).limit(3)).isEmpty();
  }
}
