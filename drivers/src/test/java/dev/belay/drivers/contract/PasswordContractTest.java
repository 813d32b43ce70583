package dev.belay.drivers.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.DriverConfig.Auth;
import dev.belay.drivers.etcd.EtcdSpecimen;
import dev.belay.drivers.http.HttpSpecimen;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every driver of a system with passwords does when one is changed; MysqlContractTest has the
 * same for the one that does not speak HTTP.
 */
class PasswordContractTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** A new driver of such a system adds its line here. */
  static Stream<Named<Supplier<PasswordedSpecimen>>> drivers() {
    return Stream.of(Named.of("etcd", EtcdSpecimen::new), Named.of("http", HttpSpecimen::new));
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void a_rotated_password_is_told_and_the_new_one_is_let_in(Supplier<PasswordedSpecimen> made) {
    try (PasswordedSpecimen system = made.get();
        Driver before = system.driver(password("first-secret"));
        Driver after = system.driver(password("second-secret"))) {
      system.demand("first-secret");
      assertThat(look(before, system)).isInstanceOf(Fact.Known.class);
      system.demand("second-secret");
      assertThat(look(before, system))
          .isInstanceOfSatisfying(
              Fact.Unknown.class,
              no ->
                  assertThat(no.why())
                      .contains("check user and password")
                      .doesNotContain("secret"));
      assertThat(look(after, system)).isInstanceOf(Fact.Known.class);
    }
  }

  private static Fact<Topology> look(Driver driver, Specimen system) {
    return driver.observe(system.seats(), PATIENCE);
  }

  private static DriverConfig password(String password) {
    return new DriverConfig(Optional.empty(), Optional.of(new Auth("root", password)));
  }
}
