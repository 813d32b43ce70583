package dev.belay.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class DerTest {
  @Test
  void encodes_object_identifiers_with_large_arcs() {
    assertThat(HexFormat.of().formatHex(Der.oid("1.2.840.10045.4.3.2")))
        .isEqualTo("06082a8648ce3d040302");
  }

  @Test
  void encodes_long_lengths() {
    assertThat(HexFormat.of().formatHex(Der.octets(new byte[200])).substring(0, 6))
        .isEqualTo("0481c8");
    assertThat(HexFormat.of().formatHex(Der.octets(new byte[300])).substring(0, 8))
        .isEqualTo("0482012c");
  }
}
