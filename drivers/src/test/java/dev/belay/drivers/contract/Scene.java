package dev.belay.drivers.contract;

import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Memory.Blocked;
import dev.belay.core.snapshot.Memory.Cause;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Memory.Good;
import dev.belay.core.snapshot.Memory.RecordedStep;
import dev.belay.core.snapshot.Memory.Refused;
import dev.belay.core.snapshot.Memory.Target;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One component that is rolled from revision old to revision new, and what is remembered of it. */
public record Scene(
    Component component,
    Map<String, String> notes,
    Optional<RecordedStep> step,
    Optional<Blocked> blocked,
    boolean deleting) {

  /** A frozen set with its new template. */
  public static Workload set(String name, int size, String container, String image) {
    return new Workload(
        name,
        "uid",
        "1",
        1,
        1,
        size,
        0,
        Workload.Update.ROLLING_UPDATE,
        Workload.FROZEN,
        Workload.Order.PARALLEL,
        "old",
        "new",
        Map.of(container, image),
        container,
        false);
  }

  /**
   * @param version what the roll-out leads to
   * @param tried since when it is tried
   */
  public Snapshot at(Instant now, String version, Instant tried) {
    return at(now, version, tried, Optional.empty());
  }

  /** A person has sent it back midway. */
  public Snapshot sentBack(Instant now, String version) {
    return at(
        now,
        version,
        now,
        Optional.of(new Refused("new", version, Cause.ROLLED_BACK, "", "by dba", now, true)));
  }

  private Snapshot at(Instant now, String version, Instant tried, Optional<Refused> refused) {
    var memory =
        new ComponentMemory(
            true,
            Optional.of(new Good("old", "", Map.of())),
            Optional.of(new Target("new", version, tried, tried, tried, 0, Set.of())),
            refused,
            Map.of(),
            Set.of(),
            Optional.empty(),
            notes);
    return new Snapshot(
        new Snapshot.Subject("default", component.name(), 1, "1", deleting),
        new Snapshot.Self("belay", "one", "account"),
        new Spec(
            Spec.Trigger.TEMPLATE,
            Optional.empty(),
            List.of(component.spec()),
            Spec.Upgrade.DEFAULT,
            false,
            Spec.Requests.NONE,
            Spec.Force.NONE),
        List.of(component),
        new Memory(
            Optional.empty(),
            step,
            0,
            Map.of(component.name(), memory),
            blocked,
            Memory.Handled.NONE,
            Optional.empty(),
            Optional.empty(),
            List.of()),
        now);
  }
}
