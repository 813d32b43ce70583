package dev.belay.operator.observe;

import dev.belay.core.model.Budget;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds the PodDisruptionBudgets that cover pods of a component. */
final class Budgets {

  private Budgets() {}

  static List<Budget> covering(List<Pod> pods, List<PodDisruptionBudget> budgets) {
    return budgets.stream().map(b -> budget(b, pods)).filter(b -> !b.pods().isEmpty()).toList();
  }

  private static Budget budget(PodDisruptionBudget budget, List<Pod> pods) {
    LabelSelector selector = budget.getSpec().getSelector();
    List<String> covered =
        pods.stream()
            .filter(p -> matches(selector, Pods.labels(p)))
            .map(p -> p.getMetadata().getName())
            .toList();
    Integer allowed =
        budget.getStatus() == null ? null : budget.getStatus().getDisruptionsAllowed();
    return new Budget(budget.getMetadata().getName(), allowed == null ? 0 : allowed, covered);
  }

  /** An absent selector matches nothing, an empty one everything, as the API says. */
  static boolean matches(@Nullable LabelSelector selector, Map<String, String> labels) {
    if (selector == null) {
      return false;
    }
    Map<String, String> equal = Objects.requireNonNullElse(selector.getMatchLabels(), Map.of());
    return equal.entrySet().stream().allMatch(e -> e.getValue().equals(labels.get(e.getKey())))
        && Objects.requireNonNullElse(
                selector.getMatchExpressions(), List.<LabelSelectorRequirement>of())
            .stream()
            .allMatch(e -> holds(e, labels));
  }

  private static boolean holds(LabelSelectorRequirement requirement, Map<String, String> labels) {
    String value = labels.get(requirement.getKey());
    List<String> values = Objects.requireNonNullElse(requirement.getValues(), List.of());
    return switch (requirement.getOperator()) {
      case "In" -> value != null && values.contains(value);
      case "NotIn" -> value == null || !values.contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      default -> true; // An operator of the future: better counted as covered than not.
    };
  }
}
