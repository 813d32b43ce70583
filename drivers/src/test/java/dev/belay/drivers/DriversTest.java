package dev.belay.drivers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.core.driver.Driver;
import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import dev.belay.drivers.http.HttpSpecimen;
import dev.belay.drivers.none.NoneDriver;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DriversTest {

  private static final DriverConfig.PlacementDriver PD =
      new DriverConfig.PlacementDriver(List.of(URI.create("http://pd:2379")), Optional.empty());

  @Test
  void makes_every_type_it_lists() {
    for (String type : Drivers.TYPES) {
      try (Driver driver = Drivers.create(type, HttpSpecimen.TALLY.withPlacementDriver(PD))) {
        assertThat(driver.policy()).isSameAs(Drivers.policy(type));
      }
    }
  }

  @Test
  void refuses_an_unknown_type_and_lists_the_known_ones() {
    assertThatThrownBy(() -> Drivers.create("etdc", DriverConfig.PLAIN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "driver.type \"etdc\" is unknown; known types: etcd, pd, mysql, bookkeeper, tikv, http, none");
  }

  @Test
  void http_says_what_it_needs() {
    assertThatThrownBy(() -> Drivers.create("http", DriverConfig.PLAIN))
        .hasMessageContaining("driver.type http needs driver.http");
  }

  @Test
  void none_knows_that_there_is_nothing_to_know() {
    try (var none = new NoneDriver()) {
      assertThat(none.observe(List.of(), Duration.ofSeconds(1)))
          .isEqualTo(Fact.known(Topology.NONE));
      assertThat(
              none.transferLeader(
                  List.of(), new Topology.Leader("1", "1"), "2", Duration.ofSeconds(1)))
          .isInstanceOf(Outcome.Refused.class);
    }
  }

  @Test
  void secrets_never_show_when_a_configuration_is_printed() {
    var tls =
        new DriverConfig.Tls(
            Optional.empty(),
            Optional.of("CERT".getBytes(java.nio.charset.StandardCharsets.US_ASCII)),
            Optional.of("KEY-MATERIAL".getBytes(java.nio.charset.StandardCharsets.US_ASCII)),
            Optional.empty());
    var config =
        new DriverConfig(Optional.of(tls), Optional.of(new DriverConfig.Auth("root", "hunter2")));
    assertThat(config.toString()).contains("root").doesNotContain("hunter2", "KEY-MATERIAL");
  }

  @Test
  void a_certificate_without_its_key_is_refused_with_the_cure() {
    assertThatThrownBy(() ->
            new DriverConfig.Tls(
                Optional.empty(), Optional.of(new byte[0]), Optional.empty(), Optional.empty()))
        .hasMessageContaining("only the certificate is given; give both or neither");
  }
}
