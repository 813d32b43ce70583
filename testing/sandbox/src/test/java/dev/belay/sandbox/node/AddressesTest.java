package dev.belay.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AddressesTest {
  @Test
  void a_name_keeps_its_address_also_over_restarts_of_the_sandbox() {
    Addresses addresses = new Addresses("127.77.");
    String first = addresses.of("ns", "db-0");
    addresses.of("ns", "db-1");
    assertThat(addresses.of("ns", "db-0")).isEqualTo(first);
    assertThat(new Addresses("127.77.").of("ns", "db-0")).isEqualTo(first);
  }

  @Test
  void no_two_names_share_one_and_none_is_the_control_planes() {
    Addresses addresses = new Addresses("127.77.");
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      String address = addresses.of("ns", "pod-" + i);
      assertThat(seen.add(address)).as(address).isTrue();
      assertThat(Integer.parseInt(address.split("\\.", -1)[2])).isBetween(16, 254);
      assertThat(Integer.parseInt(address.split("\\.", -1)[3])).isBetween(1, 254);
    }
  }
}
