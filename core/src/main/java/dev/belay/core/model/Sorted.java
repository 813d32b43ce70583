package dev.belay.core.model;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Frozen maps that are gone through in the order of their keys. That of {@link Map#copyOf} is
 * another one in each process: what is said of the first of them would change with a restart.
 */
public final class Sorted {

  private Sorted() {}

  public static <K extends Comparable<K>, V> Map<K, V> copyOf(Map<K, V> map) {
    return map.size() < 2 ? Map.copyOf(map) : Collections.unmodifiableMap(new TreeMap<>(map));
  }
}
