package dev.belay.operator.select;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One condition of a selector on one label. */
record Requirement(String key, Operator operator, Set<String> values) {

  enum Operator {
    EXISTS,
    DOES_NOT_EXIST,
    IN,
    /** Also true where the label is absent, as in Kubernetes. */
    NOT_IN,
    GREATER,
    LESS
  }

  boolean matches(Map<String, String> labels) {
    Optional<String> value = Optional.ofNullable(labels.get(key));
    return switch (operator) {
      case EXISTS -> value.isPresent();
      case DOES_NOT_EXIST -> value.isEmpty();
      case IN -> value.filter(values::contains).isPresent();
      case NOT_IN -> value.filter(values::contains).isEmpty();
      case GREATER -> value.flatMap(LabelSyntax::number).filter(n -> n > bound()).isPresent();
      case LESS -> value.flatMap(LabelSyntax::number).filter(n -> n < bound()).isPresent();
    };
  }

  private long bound() {
    return Long.parseLong(values.iterator().next());
  }
}
