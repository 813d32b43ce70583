package dev.belay.operator.select;

import java.util.List;
import java.util.Map;

/** A label selector in the syntax of kubectl. */
public final class Selector {

  private final String text;
  private final List<Requirement> requirements;

  private Selector(String text, List<Requirement> requirements) {
    this.text = text;
    this.requirements = List.copyOf(requirements);
  }

  /**
   * An empty text selects everything.
   *
   * @throws IllegalArgumentException with the place of the mistake and a fix
   */
  public static Selector parse(String text) {
    return new Selector(text, new SelectorParser(text).parse());
  }

  public boolean matches(Map<String, String> labels) {
    return requirements.stream().allMatch(r -> r.matches(labels));
  }

  /** The label keys that the selector names, sorted, each once. */
  public List<String> keys() {
    return requirements.stream().map(Requirement::key).sorted().distinct().toList();
  }

  /** The text as it was given. */
  @Override
  public String toString() {
    return text;
  }
}
