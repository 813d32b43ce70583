package dev.belay.core.snapshot;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** All that is known of one StatefulCluster at one moment, frozen. */
public record Snapshot(
    Subject subject, Self self, Spec spec, List<Component> components, Memory memory, Instant at) {

  /** The StatefulCluster itself. */
  public record Subject(
      String namespace, String name, long generation, String resourceVersion, boolean deleting) {}

  /** The operator that looks: the install it belongs to, this process, the account it acts as. */
  public record Self(String install, String instance, String account) {}

  public Snapshot {
    components = List.copyOf(components);
  }

  public Optional<Component> component(String name) {
    return components.stream().filter(c -> c.name().equals(name)).findFirst();
  }
}
