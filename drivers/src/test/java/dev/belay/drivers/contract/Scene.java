package dev.belay.drivers.contract;

import dev.belay.core.model.Component;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Command;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Blocked;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Memory.Observed;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Note;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Recording;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One component that is rolled from revision old to revision new, and what is remembered of it. */
public record Scene(
    Component component,
    List<Note> notes,
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

  /** The set in the state for which steps are decided. */
  public static Fence.ObjectVersion fence(String set) {
    return new Fence.ObjectVersion(Fence.Kind.STATEFUL_SET, set, "uid", "1");
  }

  /** The release of a member, written down. */
  public static RecordedStep released(String set, Instant at) {
    return recorded(new Step.Release(set, fence(set), 0, set + "-0"), at, 1);
  }

  /** A command to a member of this component, written down. */
  public static RecordedStep recorded(String component, Command command, Instant at, int attempts) {
    var fence = new Fence.MemberTerm(command.memberId(), command.term());
    return recorded(new Step.Tell(component, fence, command, false), at, attempts);
  }

  private static RecordedStep recorded(Step step, Instant at, int attempts) {
    return new RecordedStep("1-1", Recording.of(step).orElseThrow(), step.what(), at, attempts);
  }

  /** The same command as another release of Belay may word it. */
  public static Command reworded(Command command) {
    return new Command(
        command.verb(),
        command.memberId(),
        command.object(),
        "in other words",
        command.term(),
        command.arguments());
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
            notes,
            Observed.NOTHING,
            List.of(),
            "");
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
