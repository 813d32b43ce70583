package dev.belay.operator.observe;

import dev.belay.operator.PatchRequest;
import io.fabric8.kubernetes.api.model.FieldsV1;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who wrote the images of a template, by the API server's own account: {@code
 * metadata.managedFields} names for each field the managers who set it to what it is. Whatever is
 * not there, or is not as expected, names nobody.
 */
final class Writers {

  private static final List<String> POD = List.of("f:spec", "f:template", "f:spec");

  private Writers() {}

  /** By container, the one who wrote its image last and is not Belay. */
  static Map<String, String> ofImages(ObjectMeta metadata, Set<String> containers) {
    List<ManagedFieldsEntry> others =
        Stream.ofNullable(metadata.getManagedFields())
            .flatMap(List::stream)
            .filter(e -> e.getManager() != null && !PatchRequest.MANAGER.equals(e.getManager()))
            .sorted(Comparator.comparing(e -> Objects.requireNonNullElse(e.getTime(), "")))
            .toList();
    var writers = new HashMap<String, String>();
    for (ManagedFieldsEntry entry : others) {
      for (String container : imagesOf(entry)) {
        if (containers.contains(container)) {
          writers.put(container, entry.getManager());
        }
      }
    }
    return writers;
  }

  /** The containers whose image belongs to the manager of this entry. */
  private static Set<String> imagesOf(ManagedFieldsEntry entry) {
    Map<?, ?> pod = fields(entry.getFieldsV1());
    for (String field : POD) {
      pod = below(pod, field);
    }
    Map<?, ?> template = pod;
    return Stream.of("f:initContainers", "f:containers")
        .flatMap(kind -> below(template, kind).entrySet().stream())
        .filter(e -> e.getValue() instanceof Map<?, ?> fields && fields.containsKey("f:image"))
        .flatMap(e -> name(String.valueOf(e.getKey())).stream())
        .collect(Collectors.toSet());
  }

  private static Map<?, ?> fields(@Nullable FieldsV1 fields) {
    return fields == null || fields.getAdditionalProperties() == null
        ? Map.of()
        : fields.getAdditionalProperties();
  }

  private static Map<?, ?> below(Map<?, ?> fields, String name) {
    return fields.get(name) instanceof Map<?, ?> found ? found : Map.of();
  }

  /** A container is listed as {@code k:{"name":"etcd"}}; its name has nothing that JSON escapes. */
  private static Optional<String> name(String key) {
    String before = "k:{\"name\":\"";
    String after = "\"}";
    return key.startsWith(before) && key.endsWith(after)
        ? Optional.of(key.substring(before.length(), key.length() - after.length()))
        : Optional.empty();
  }
}
