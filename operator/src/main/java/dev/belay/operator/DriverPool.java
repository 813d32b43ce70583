package dev.belay.operator;

import dev.belay.api.v1alpha1.Component;
import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.driver.Driver;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.Drivers;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/** One driver per component, made anew when its configuration or its Secrets change. */
public final class DriverPool implements AutoCloseable {

  private record Held(String type, DriverConfig config, Driver driver) {}

  private final Secrets secrets;
  private final BiFunction<String, DriverConfig, Driver> make;
  private final Map<String, Held> drivers = new ConcurrentHashMap<>();

  public DriverPool(KubernetesClient client) {
    this(client, Drivers::create);
  }

  DriverPool(KubernetesClient client, BiFunction<String, DriverConfig, Driver> make) {
    this.secrets = new Secrets(client);
    this.make = make;
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
    String uid = cluster.getMetadata().getUid();
    keepOnly(uid, cluster.getSpec().components().stream().map(Component::name).toList());
    String key = uid + "/" + part.name();
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
              return new Held(type, config, make.apply(type, config));
            })
        .driver();
  }

  /** Lets go of a StatefulCluster that is gone. */
  public void forget(String uid) {
    keepOnly(uid, List.of());
  }

  /** A component that was renamed or taken out is asked nothing any more. */
  private void keepOnly(String uid, List<String> components) {
    drivers
        .entrySet()
        .removeIf(e -> {
          String key = e.getKey();
          boolean gone =
              key.startsWith(uid + "/") && !components.contains(key.substring(uid.length() + 1));
          if (gone) {
            e.getValue().driver().close();
          }
          return gone;
        });
  }

  private DriverConfig config(String namespace, DriverSpec spec, String field) {
    Optional<DriverConfig.Tls> tls =
        Optional.ofNullable(spec.tls()).map(t -> secrets.tls(namespace, t, field + ".tls"));
    Optional<DriverConfig.Auth> auth =
        Optional.ofNullable(spec.auth()).map(a -> secrets.auth(namespace, a, field + ".auth"));
    return new DriverConfig(
        tls,
        auth,
        Optional.ofNullable(spec.http()).map(Declarations::of),
        Optional.ofNullable(spec.options()).map(DriverSpec.Options::ensembleSize),
        Optional.ofNullable(spec.tikv())
            .map(t -> PlacementDrivers.of(t, namespace, spec.tls() != null, field + ".tikv")));
  }

  @Override
  public void close() {
    drivers.values().forEach(h -> h.driver().close());
  }
}
