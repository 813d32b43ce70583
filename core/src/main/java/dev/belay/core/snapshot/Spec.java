package dev.belay.core.snapshot;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the user asked for, already validated by the schema but not yet against the world. */
public record Spec(
    Trigger trigger,
    Optional<String> version,
    List<ComponentSpec> components,
    Optional<String> approve) {

  /** Who starts a roll-out: whoever changes the template, or a change of the version field. */
  public enum Trigger {
    TEMPLATE,
    VERSION
  }

  /** One component: a workload, how its system is asked, how it is rolled. */
  public record ComponentSpec(
      String name,
      String workload,
      Optional<String> version,
      Map<String, String> images,
      String driver,
      String memberName,
      Rollout rollout) {

    public ComponentSpec {
      images = Map.copyOf(images);
    }
  }

  /** How members are let through. */
  public record Rollout(
      Duration soak, Duration readyTimeout, int tolerateUnhealthy, boolean allowDowntime) {}

  public Spec {
    components = List.copyOf(components);
  }

  /** The version a component shall run; empty with trigger Template. */
  public Optional<String> wantedVersion(ComponentSpec component) {
    return trigger == Trigger.VERSION ? component.version().or(() -> version) : Optional.empty();
  }
}
