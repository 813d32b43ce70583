package dev.belay.operator.act;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.state.Command;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubernetesActorTest {

  /** Core takes a recorded command for dead after its life, and lets go of what it would owe. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1_000, 4_000, 5_500, 8_000})
  void a_command_is_over_before_anybody_takes_it_for_dead(long age) {
    Duration old = Duration.ofMillis(age);
    assertThat(old).isLessThanOrEqualTo(KubernetesActor.STALE);
    assertThat(KubernetesActor.commandTime(old)).isPositive();
    assertThat(old.plus(KubernetesActor.commandTime(old))).isLessThan(Command.LIFE);
  }
}
