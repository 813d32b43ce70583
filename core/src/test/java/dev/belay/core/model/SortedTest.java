package dev.belay.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SortedTest {

  private static final List<String> NAMES = List.of("bookie", "controller", "gate", "store", "zk");

  @Test
  void components_are_remembered_in_the_same_order_by_every_process() {
    var components = new HashMap<String, ComponentMemory>();
    NAMES.reversed().forEach(name -> components.put(name, ComponentMemory.EMPTY));

    var memory =
        new Memory(
            Optional.empty(),
            Optional.empty(),
            0,
            components,
            Optional.empty(),
            Memory.Handled.NONE,
            Optional.empty(),
            Optional.empty(),
            List.of());

    assertThat(memory.components().keySet()).containsExactlyElementsOf(NAMES);
  }

  @Test
  void what_is_copied_is_frozen_and_equal_to_any_other_map_of_the_same() {
    Map<String, Integer> copy = Sorted.copyOf(Map.of("b", 2, "a", 1));

    assertThat(copy).isEqualTo(Map.of("a", 1, "b", 2)).hasToString("{a=1, b=2}");
    assertThatThrownBy(() -> copy.put("c", 3)).isInstanceOf(UnsupportedOperationException.class);
  }
}
