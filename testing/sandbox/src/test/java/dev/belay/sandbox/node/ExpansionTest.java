package dev.belay.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpansionTest {
  @ParameterizedTest
  @CsvSource({
    "plain, plain",
    "$(A), one",
    "x$(A)y$(B)z, xoney two z",
    "$(MISSING), $(MISSING)",
    "$$(A), $(A)",
    "$$$(A), $one",
    "$(A, $(A",
    "$A, $A",
    "100$, 100$",
    "$(A)$(A), oneone",
    "$(), $()"
  })
  void expands_as_kubernetes_does(String text, String expected) {
    Map<String, String> values = Map.of("A", "one", "B", " two ");
    assertThat(Expansion.expand(text, values)).isEqualTo(expected);
  }
}
