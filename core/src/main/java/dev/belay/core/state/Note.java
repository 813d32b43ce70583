package dev.belay.core.state;

import dev.belay.core.model.Sorted;
import java.util.Map;

/**
 * What a driver wants remembered of a component.
 *
 * @param kind one of the driver's own
 * @param about the member it is about; empty where it is about the component
 */
public record Note(String kind, String about, Map<String, String> values) {

  public Note {
    values = Sorted.copyOf(values);
  }

  /** One of its values; empty when it has none of this name. */
  public String value(String name) {
    return values.getOrDefault(name, "");
  }
}
