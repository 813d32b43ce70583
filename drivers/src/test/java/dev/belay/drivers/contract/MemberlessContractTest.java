package dev.belay.drivers.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver;
import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.Drivers;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a driver of what has no members does: it asks nobody, and says so when it is told. */
class MemberlessContractTest {

  private final Driver driver = Drivers.create("none", DriverConfig.PLAIN);

  @Test
  void nobody_is_asked_and_nothing_stands_in_the_way() {
    try (FakeMember pod = FakeMember.replaying("", "front-0", Map.of());
        driver) {
      Seat dead = new Seat("front-1", "front-1", URI.create("http://127.0.0.1:1"));
      for (List<Seat> seats : List.of(List.of(pod.seat(), dead), List.<Seat>of())) {
        Topology t = driver.observe(seats, Duration.ZERO).asOptional().orElseThrow();
        assertThat(t.memberless()).isTrue();
        assertThat(t.groups()).isEmpty();
      }
      assertThat(pod.asked).isEmpty();
    }
  }

  @Test
  void commands_are_refused() {
    try (driver) {
      assertThat(
              driver.transferLeader(
                  List.of(), new Topology.Leader("a", "1"), "b", Duration.ofSeconds(1)))
          .isEqualTo(new Outcome.Refused("driver none knows no leaders"));
      assertThat(
              driver.tell(
                  List.of(),
                  new Command("dance", "a", "a", "dance", "", Map.of()),
                  Duration.ofSeconds(1)))
          .isEqualTo(new Outcome.Refused("this kind of system knows no command dance"));
    }
  }
}
