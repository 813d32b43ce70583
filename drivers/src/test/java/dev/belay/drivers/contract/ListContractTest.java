package dev.belay.drivers.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.drivers.bookkeeper.BookkeeperSpecimen;
import dev.belay.drivers.etcd.EtcdSpecimen;
import dev.belay.drivers.pd.PdSpecimen;
import dev.belay.drivers.tikv.TikvSpecimen;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What every driver makes of a system's own list of its members. */
@ParameterizedClass(name = "{0}")
@MethodSource("drivers")
class ListContractTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ListedSpecimen system;

  /** A new driver of such a system adds its line here. */
  static Stream<Named<Supplier<ListedSpecimen>>> drivers() {
    return Stream.of(
        Named.of("etcd", EtcdSpecimen::new),
        Named.of("pd", PdSpecimen::new),
        Named.of("bookkeeper", BookkeeperSpecimen::new),
        Named.of("tikv", TikvSpecimen::new));
  }

  ListContractTest(Supplier<ListedSpecimen> driver) {
    system = driver.get();
    system.members().forEach(FakeMember::keep);
  }

  @AfterEach
  void stop() {
    system.close();
  }

  /** Whoever is not listed counts for nothing, whatever it says of itself. */
  @Test
  void a_list_that_flaps_is_followed_look_by_look() {
    for (int i = 0; i < 3; i++) {
      assertThat(healthy()).isEqualTo(3);
      system.unlist();
      assertThat(healthy()).isEqualTo(2);
      system.members().forEach(FakeMember::calm);
    }
  }

  private long healthy() {
    Fact<Topology> seen = system.driver().observe(system.seats(), PATIENCE);
    assertThat(seen).isInstanceOf(Fact.Known.class);
    return seen.asOptional().orElseThrow().members().stream().filter(Member::healthy).count();
  }
}
