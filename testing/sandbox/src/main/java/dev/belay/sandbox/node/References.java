package dev.belay.sandbox.node;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads what the pods of one namespace refer to. */
record References(KubernetesClient client, String namespace) {
  private static final Pattern KEYED =
      Pattern.compile("metadata\\.(labels|annotations)\\['(.+)'\\]");

  Map<String, byte[]> configMap(String name, @Nullable Boolean optional) throws MissingReference {
    ConfigMap map = client.configMaps().inNamespace(namespace).withName(name).get();
    if (map == null) {
      return absent("configmap", name, optional);
    }
    Map<String, byte[]> data = new LinkedHashMap<>();
    if (map.getData() != null) {
      map.getData().forEach((key, value) -> data.put(key, value.getBytes(StandardCharsets.UTF_8)));
    }
    if (map.getBinaryData() != null) {
      map.getBinaryData().forEach((key, value) -> data.put(key, Base64.getDecoder().decode(value)));
    }
    return data;
  }

  Map<String, byte[]> secret(String name, @Nullable Boolean optional) throws MissingReference {
    Secret secret = client.secrets().inNamespace(namespace).withName(name).get();
    if (secret == null) {
      return absent("secret", name, optional);
    }
    Map<String, byte[]> data = new LinkedHashMap<>();
    if (secret.getData() != null) {
      secret.getData().forEach((key, value) -> data.put(key, Base64.getDecoder().decode(value)));
    }
    return data;
  }

  private static Map<String, byte[]> absent(String kind, String name, @Nullable Boolean optional)
      throws MissingReference {
    if (Boolean.TRUE.equals(optional)) {
      return Map.of();
    }
    throw new MissingReference("%s \"%s\" not found".formatted(kind, name));
  }

  /** The value of a downward-API field; empty for a label or annotation that is not set. */
  static String field(Pod pod, String path, String podIp, String hostIp) throws MissingReference {
    Matcher keyed = KEYED.matcher(path);
    if (keyed.matches()) {
      Map<String, String> values =
          keyed.group(1).equals("labels")
              ? pod.getMetadata().getLabels()
              : pod.getMetadata().getAnnotations();
      return Optional.ofNullable(values).map(v -> v.get(keyed.group(2))).orElse("");
    }
    return switch (path) {
      case "metadata.name" -> pod.getMetadata().getName();
      case "metadata.namespace" -> pod.getMetadata().getNamespace();
      case "metadata.uid" -> pod.getMetadata().getUid();
      case "metadata.labels" -> lines(pod.getMetadata().getLabels());
      case "metadata.annotations" -> lines(pod.getMetadata().getAnnotations());
      case "spec.nodeName" -> pod.getSpec().getNodeName();
      case "spec.serviceAccountName" ->
          Optional.ofNullable(pod.getSpec().getServiceAccountName()).orElse("default");
      case "status.podIP", "status.podIPs" -> podIp;
      case "status.hostIP", "status.hostIPs" -> hostIp;
      default -> throw new MissingReference("fieldRef " + path + " is not supported");
    };
  }

  private static String lines(@Nullable Map<String, String> values) {
    StringBuilder out = new StringBuilder();
    if (values != null) {
      values.forEach((key, value) -> out.append("%s=\"%s\"\n".formatted(key, value)));
    }
    return out.toString();
  }
}
