package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.api.v1alpha1.DriverSpec.Tikv;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlacementDriversTest {

  private static final String FIELD = "spec.components[1].driver.tikv";

  @ParameterizedTest
  @CsvSource({
    "pd,http://pd.prod.svc:2379",
    "pd-0.pd,http://pd-0.pd.prod.svc:2379",
    "pd-0.pd:23790,http://pd-0.pd.prod.svc:23790",
    "pd-0.pd.storage.svc,http://pd-0.pd.storage.svc:2379",
    "pd.example.com:443,http://pd.example.com:443",
    "10.0.0.7,http://10.0.0.7:2379",
    "[fd00::7]:2379,http://[fd00::7]:2379",
    "[fd00::7],http://[fd00::7]:2379"
  })
  void a_short_name_is_one_of_the_own_namespace(String entry, String address) {
    assertThat(
            PlacementDrivers.of(new Tikv(List.of(entry), null), "prod", false, FIELD).addresses())
        .containsExactly(URI.create(address));
  }

  @Test
  void with_certificates_pd_is_asked_by_tls_and_a_limit_is_a_duration() {
    var pd = PlacementDrivers.of(new Tikv(List.of("pd"), "90s"), "prod", true, FIELD);
    assertThat(pd.addresses()).containsExactly(URI.create("https://pd.prod.svc:2379"));
    assertThat(pd.evictLeaderTimeout()).contains(Duration.ofSeconds(90));
  }

  @Test
  void what_is_no_host_and_port_is_refused_with_field_value_and_cure() {
    assertThatThrownBy(
            () -> PlacementDrivers.of(new Tikv(List.of("pd:99999"), null), "prod", false, FIELD))
        .hasMessage(FIELD + ".pd: \"pd:99999\" is no host and port; write it like pd-0.pd:2379");
  }
}
