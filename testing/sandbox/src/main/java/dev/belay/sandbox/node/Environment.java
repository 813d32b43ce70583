package dev.belay.sandbox.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The environment and the command line of a container, by Kubernetes' rules. */
record Environment(Map<String, String> variables, List<String> command) {
  private static final String PATH =
      "/image/bin:/image:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /** Who the pod is and where the API server is. */
  record Setting(Pod pod, String podIp, String hostIp, String apiHost, int apiPort) {}

  static Environment of(Container container, Setting setting, References references)
      throws MissingReference {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("PATH", PATH);
    values.put("HOME", "/root");
    values.put("HOSTNAME", hostname(setting.pod()));
    values.put("KUBERNETES_SERVICE_HOST", setting.apiHost());
    values.put("KUBERNETES_SERVICE_PORT", String.valueOf(setting.apiPort()));
    for (EnvFromSource source : container.getEnvFrom()) {
      values.putAll(from(source, references));
    }
    for (EnvVar variable : container.getEnv()) {
      EnvVarSource source = variable.getValueFrom();
      if (source == null) {
        String text = Optional.ofNullable(variable.getValue()).orElse("");
        values.put(variable.getName(), Expansion.expand(text, values));
      } else {
        value(source, setting, references)
            .ifPresent(value -> values.put(variable.getName(), value));
      }
    }
    return new Environment(values, command(container, values));
  }

  static String hostname(Pod pod) {
    return Optional.ofNullable(pod.getSpec().getHostname()).orElse(pod.getMetadata().getName());
  }

  static List<String> command(Container container, Map<String, String> values) {
    List<String> words = new ArrayList<>();
    if (container.getCommand().isEmpty()) {
      words.add("/image/entrypoint");
    }
    container.getCommand().forEach(word -> words.add(Expansion.expand(word, values)));
    container.getArgs().forEach(word -> words.add(Expansion.expand(word, values)));
    return words;
  }

  private static Map<String, String> from(EnvFromSource source, References references)
      throws MissingReference {
    Map<String, byte[]> data = Map.of();
    if (source.getConfigMapRef() != null) {
      data =
          references.configMap(
              source.getConfigMapRef().getName(), source.getConfigMapRef().getOptional());
    } else if (source.getSecretRef() != null) {
      data =
          references.secret(source.getSecretRef().getName(), source.getSecretRef().getOptional());
    }
    String prefix = Optional.ofNullable(source.getPrefix()).orElse("");
    Map<String, String> values = new LinkedHashMap<>();
    data.forEach((key, value) -> values.put(prefix + key, text(value)));
    return values;
  }

  private static Optional<String> value(EnvVarSource source, Setting setting, References references)
      throws MissingReference {
    if (source.getFieldRef() != null) {
      String path = source.getFieldRef().getFieldPath();
      return Optional.of(References.field(setting.pod(), path, setting.podIp(), setting.hostIp()));
    }
    if (source.getConfigMapKeyRef() != null) {
      var ref = source.getConfigMapKeyRef();
      var data = references.configMap(ref.getName(), ref.getOptional());
      return key(data, ref.getKey(), ref.getOptional(), "ConfigMap", references, ref.getName());
    }
    var ref = source.getSecretKeyRef();
    var data = references.secret(ref.getName(), ref.getOptional());
    return key(data, ref.getKey(), ref.getOptional(), "Secret", references, ref.getName());
  }

  private static Optional<String> key(
      Map<String, byte[]> data,
      String key,
      @Nullable Boolean optional,
      String kind,
      References references,
      String name)
      throws MissingReference {
    byte[] value = data.get(key);
    if (value == null && !Boolean.TRUE.equals(optional)) {
      throw new MissingReference(
          "couldn't find key %s in %s %s/%s".formatted(key, kind, references.namespace(), name));
    }
    return Optional.ofNullable(value).map(Environment::text);
  }

  private static String text(byte[] value) {
    return new String(value, StandardCharsets.UTF_8);
  }
}
