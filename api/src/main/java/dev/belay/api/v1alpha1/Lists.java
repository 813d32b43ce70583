package dev.belay.api.v1alpha1;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is absent in JSON is empty in Java, and what is shown is in a stable order. */
final class Lists {

  static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : List.copyOf(list);
  }

  /** Sorted by key, so that equal states are equal texts. */
  static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
    return map == null ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(map));
  }

  private Lists() {}
}
