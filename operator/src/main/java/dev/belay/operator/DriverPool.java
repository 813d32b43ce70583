package dev.belay.operator;

import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.driver.Driver;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.Drivers;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One driver per component, made anew when its configuration or its Secrets change. */
public final class DriverPool implements AutoCloseable {

  private record Held(String type, DriverConfig config, Driver driver) {}

  private final KubernetesClient client;
  private final Map<String, Held> drivers = new ConcurrentHashMap<>();

  public DriverPool(KubernetesClient client) {
    this.client = client;
  }

  /**
   * The driver of a component.
   *
   * @throws IllegalStateException when a Secret it needs is missing, naming the field and the cure
   */
  public Driver driver(StatefulCluster cluster, int component) {
    var part = cluster.getSpec().components().get(component);
    DriverSpec spec = part.driver();
    String type = spec.type().word();
    String field = "spec.components[" + component + "].driver";
    DriverConfig config = config(cluster.getMetadata().getNamespace(), spec, field);
    String key = cluster.getMetadata().getUid() + "/" + part.name();
    return drivers
        .compute(
            key,
            (_, held) -> {
              if (held != null && held.type().equals(type) && held.config().equals(config)) {
                return held;
              }
              if (held != null) {
                held.driver().close();
              }
              return new Held(type, config, Drivers.create(type, config));
            })
        .driver();
  }

  /** Lets go of a StatefulCluster that is gone. */
  public void forget(String uid) {
    drivers
        .entrySet()
        .removeIf(e -> {
          boolean gone = e.getKey().startsWith(uid + "/");
          if (gone) {
            e.getValue().driver().close();
          }
          return gone;
        });
  }

  private DriverConfig config(String namespace, DriverSpec spec, String field) {
    Optional<DriverConfig.Tls> tls =
        Optional.ofNullable(spec.tls()).map(t -> tls(namespace, t, field + ".tls"));
    Optional<DriverConfig.Auth> auth =
        Optional.ofNullable(spec.auth()).map(a -> auth(namespace, a, field + ".auth"));
    return new DriverConfig(
        tls,
        auth,
        Optional.ofNullable(spec.http()).map(Declarations::of),
        Optional.ofNullable(spec.options()).map(DriverSpec.Options::ensembleSize));
  }

  private DriverConfig.Tls tls(String namespace, DriverSpec.Tls spec, String field) {
    Secret secret = secret(namespace, spec.secretName(), field);
    return new DriverConfig.Tls(
        value(secret, or(spec.caKey(), "ca.crt")),
        value(secret, or(spec.certKey(), "tls.crt")),
        value(secret, or(spec.keyKey(), "tls.key")),
        Optional.ofNullable(spec.serverName()).filter(n -> !n.isEmpty()));
  }

  private DriverConfig.Auth auth(String namespace, DriverSpec.Auth spec, String field) {
    Secret secret = secret(namespace, spec.secretName(), field);
    return new DriverConfig.Auth(
        required(secret, or(spec.usernameKey(), "username"), field + ".usernameKey"),
        required(secret, or(spec.passwordKey(), "password"), field + ".passwordKey"));
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

  @Override
  public void close() {
    drivers.values().forEach(h -> h.driver().close());
  }
}
