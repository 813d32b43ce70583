package dev.belay.operator.marks;

import dev.belay.core.guard.Mark;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The labels that Belay applied to an object, as the API server recorded it. */
final class AppliedLabels {

  private static final String FIELD = "f:";

  static Set<String> of(ObjectMeta meta) {
    return labels(meta, Mark.LABELS_MANAGER::equals);
  }

  /** Without those that another program set as well: they are not Belay's to remove. */
  static Set<String> onlyBelays(ObjectMeta meta) {
    Set<String> keys = of(meta);
    keys.removeAll(labels(meta, m -> !Mark.LABELS_MANAGER.equals(m)));
    return keys;
  }

  private static Set<String> labels(ObjectMeta meta, Predicate<String> manager) {
    var keys = new TreeSet<String>();
    for (ManagedFieldsEntry entry :
        Optional.ofNullable(meta.getManagedFields()).orElse(List.of())) {
      if (manager.test(entry.getManager()) && entry.getFieldsV1() != null) {
        child(child(entry.getFieldsV1().getAdditionalProperties(), "metadata"), "labels")
            .keySet()
            .forEach(k -> keys.add(k.toString().replaceFirst(FIELD, "")));
      }
    }
    // The map itself has an entry, too.
    keys.remove(".");
    return keys;
  }

  private static Map<?, ?> child(Map<?, ?> fields, String name) {
    return fields.get(FIELD + name) instanceof Map<?, ?> found ? found : Map.of();
  }

  private AppliedLabels() {}
}
