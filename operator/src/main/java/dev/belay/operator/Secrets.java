package dev.belay.operator;

import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.drivers.DriverConfig;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The Secrets and ConfigMaps that StatefulClusters name, each in its own namespace. */
public record Secrets(KubernetesClient client) {

  /**
   * User and password.
   *
   * @throws IllegalStateException when one is missing, naming the field and the cure
   */
  public DriverConfig.Auth auth(String namespace, DriverSpec.Auth spec, String field) {
    Secret secret = secret(namespace, spec.secretName(), field);
    return new DriverConfig.Auth(
        required(secret, or(spec.usernameKey(), "username"), field + ".usernameKey"),
        required(secret, or(spec.passwordKey(), "password"), field + ".passwordKey"));
  }

  DriverConfig.Tls tls(String namespace, DriverSpec.Tls spec, String field) {
    Secret secret = secret(namespace, spec.secretName(), field);
    return new DriverConfig.Tls(
        value(secret, or(spec.caKey(), "ca.crt")),
        value(secret, or(spec.certKey(), "tls.crt")),
        value(secret, or(spec.keyKey(), "tls.key")),
        Optional.ofNullable(spec.serverName()).filter(n -> !n.isEmpty()));
  }

  /**
   * The texts of a ConfigMap.
   *
   * @throws IllegalStateException when it is missing, naming the field and the fix
   */
  public Map<String, String> texts(String namespace, String name, String field) {
    ConfigMap map =
        read(
            client.configMaps().inNamespace(namespace).withName(name),
            "ConfigMap %s in namespace %s".formatted(name, namespace),
            field);
    return Optional.ofNullable(map.getData()).map(Map::copyOf).orElse(Map.of());
  }

  private Secret secret(String namespace, String name, String field) {
    return read(
        client.secrets().inNamespace(namespace).withName(name),
        "Secret %s in namespace %s".formatted(name, namespace),
        field + ".secretName");
  }

  private static <T> T read(Resource<T> object, String name, String field) {
    try {
      @Nullable T found = object.get();
      if (found != null) {
        return found;
      }
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
        throw e;
      }
      throw new IllegalStateException(
          "%s: the operator may not read %s; fix: add the namespace to secrets.namespaces of the chart"
              .formatted(field, name),
          e);
    }
    throw new IllegalStateException(
        "%s: there is no %s; fix: create it, or correct the field".formatted(field, name));
  }

  private static String required(Secret secret, String key, String field) {
    return value(secret, key)
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
        .orElseThrow(() ->
            new IllegalStateException(
                field + ": the Secret " + secret.getMetadata().getName() + " has no key " + key));
  }

  private static Optional<byte[]> value(Secret secret, String key) {
    return Optional.ofNullable(secret.getData())
        .map(data -> data.get(key))
        .map(Base64.getDecoder()::decode);
  }

  private static String or(@Nullable String text, String fallback) {
    return Objects.requireNonNullElse(text, fallback);
  }
}
