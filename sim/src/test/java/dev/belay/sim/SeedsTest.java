package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.sim.operator.Seams;
import dev.belay.sim.world.Fault;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Fresh seeds in the real loop; BELAY_SIM_SEEDS and BELAY_SIM_FROM choose how many and which. */
class SeedsTest {

  @Test
  void no_seed_breaks_a_promise() {
    long seeds = Long.parseLong(System.getenv().getOrDefault("BELAY_SIM_SEEDS", "2000"));
    long from = Long.parseLong(System.getenv().getOrDefault("BELAY_SIM_FROM", "1"));

    Sweep sweep = Sweep.of(from, seeds, Seams.NONE);

    System.out.println(sweep.table());
    System.out.println(sweep.pace());
    assertThat(sweep.failures())
        .as(
            sweep.failures().stream()
                .limit(3)
                .map(Outcome::story)
                .collect(Collectors.joining("\n")))
        .isEmpty();
    assertThat(sweep.counts().keySet())
        .as("every kind of fault has happened")
        .containsExactlyInAnyOrder(Fault.values());
    assertThat(sweep.rollouts()).isGreaterThan(seeds / 2);
  }
}
