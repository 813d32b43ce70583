package dev.belay.operator;

import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.drivers.DriverConfig;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The Secrets that StatefulClusters name, each in its own namespace. */
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

  private Secret secret(String namespace, String name, String field) {
    Secret secret = client.secrets().inNamespace(namespace).withName(name).get();
    if (secret == null) {
      throw new IllegalStateException(
          field + ".secretName: there is no Secret " + name + " in namespace " + namespace);
    }
    return secret;
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
