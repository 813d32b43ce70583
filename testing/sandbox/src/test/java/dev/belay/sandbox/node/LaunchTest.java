package dev.belay.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LaunchTest {
  @Test
  void no_word_of_a_pod_becomes_shell() {
    assertThat(Launch.words(List.of("a b", "it's", "$(rm)", "`x`", "")))
        .isEqualTo("'a b' 'it'\\''s' '$(rm)' '`x`' ''");
  }

  @Test
  void file_modes_become_rights() {
    assertThat(Volumes.rights(0644)).isEqualTo("rw-r--r--");
    assertThat(Volumes.rights(0400)).isEqualTo("r--------");
    assertThat(Volumes.rights(0755)).isEqualTo("rwxr-xr-x");
  }
}
