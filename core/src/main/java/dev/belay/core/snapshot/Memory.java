package dev.belay.core.snapshot;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** What Belay wrote down earlier in the status; nothing is remembered anywhere else. */
public record Memory(
    Optional<Owner> owner,
    Optional<RecordedStep> step,
    long steps,
    Map<String, ComponentMemory> components,
    Optional<Blocked> blocked) {

  public static final Memory EMPTY =
      new Memory(Optional.empty(), Optional.empty(), 0, Map.of(), Optional.empty());

  /**
   * Which operator acts on the cluster; changes only by compare-and-swap, and then the epoch rises.
   */
  public record Owner(String install, String instance, String account, long epoch) {}

  /** The step written down before it was carried out. */
  public record RecordedStep(
      String id, String what, String object, Fence fence, Instant since, int attempts) {}

  /**
   * What a step was fenced on: while the object is still at this state, the step can still strike.
   */
  public record Fence(String kind, String name, String state) {}

  /** What first stood in the way, and since when. */
  public record Blocked(String rule, String object, Instant since) {}

  /**
   * What is remembered of one component.
   *
   * @param adopted whether Belay has taken it over
   * @param lastGood the last version and revision at which it was settled
   * @param target the roll-out under way
   * @param servingSince when each updated pod (by uid) was first seen ready and healthy
   * @param written the images Belay wrote for which version
   * @param notes what the driver wants remembered
   */
  public record ComponentMemory(
      boolean adopted,
      Optional<Good> lastGood,
      Optional<Target> target,
      Map<String, Instant> servingSince,
      Optional<Written> written,
      Map<String, String> notes) {

    public static final ComponentMemory EMPTY =
        new ComponentMemory(
            false, Optional.empty(), Optional.empty(), Map.of(), Optional.empty(), Map.of());

    public ComponentMemory {
      servingSince = Map.copyOf(servingSince);
      notes = Map.copyOf(notes);
    }
  }

  /** A settled state. */
  public record Good(String revision, String version) {}

  /** A roll-out under way. */
  public record Target(String revision, String version, Instant since) {}

  /** The template write that a version asked for. */
  public record Written(String version, Map<String, String> images) {

    public Written {
      images = Map.copyOf(images);
    }
  }

  public Memory {
    components = Map.copyOf(components);
  }

  public ComponentMemory component(String name) {
    return components.getOrDefault(name, ComponentMemory.EMPTY);
  }
}
