package dev.belay.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BinariesTest {
  @Test
  void the_cache_is_the_named_one_or_the_users() {
    assertThat(Binaries.cache(Map.of("BELAY_CACHE", "/c", "XDG_CACHE_HOME", "/x")))
        .isEqualTo(Path.of("/c"));
    assertThat(Binaries.cache(Map.of("XDG_CACHE_HOME", "/x", "HOME", "/h")))
        .isEqualTo(Path.of("/x/belay"));
    assertThat(Binaries.cache(Map.of("HOME", "/h"))).isEqualTo(Path.of("/h/.cache/belay"));
  }

  @Test
  void what_is_missing_is_named_with_the_cure() {
    assertThatThrownBy(() -> Binaries.find(Map.of("BELAY_CACHE", "/nowhere")))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining("etcd not found")
        .hasMessageContaining("/nowhere")
        .hasMessageContaining("make binaries");
  }

  @Test
  void etcd_fits_from_3_5_on() {
    assertThat(Binaries.atLeast35("etcd Version: 3.5.0")).isTrue();
    assertThat(Binaries.atLeast35("etcd Version: 3.4.30")).isFalse();
    assertThat(Binaries.atLeast35("etcd Version: 4.0.0")).isTrue();
    assertThat(Binaries.atLeast35("no numbers")).isFalse();
  }
}
