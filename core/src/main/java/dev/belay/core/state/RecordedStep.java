package dev.belay.core.state;

import dev.belay.core.model.Sorted;
import java.time.Instant;
import java.util.Map;

/**
 * The step that was written down before it is carried out.
 *
 * @param id unlike any other of this cluster
 * @param what is done, for people; nothing is decided by it
 * @param since when it was written down last
 * @param attempts how often it was begun
 */
public record RecordedStep(String id, StepData step, String what, Instant since, int attempts) {

  /**
   * A step as data. Two steps with equal data are one and the same step.
   *
   * @param component it belongs to; empty for a step of the whole cluster
   * @param object it is done to
   * @param arguments what tells it from other steps of its kind
   */
  public record StepData(
      Kind kind, String component, String object, Fence fence, Map<String, String> arguments) {

    public StepData {
      arguments = Sorted.copyOf(arguments);
    }

    public boolean is(Kind other) {
      return kind == other;
    }

    /** An argument of this step; empty when it has none of this name. */
    public String argument(String name) {
      return arguments.getOrDefault(name, "");
    }

    public StepData withFence(Fence other) {
      return new StepData(kind, component, object, other, arguments);
    }
  }

  /** The kinds of steps that are written down. */
  public enum Kind {
    FREEZE,
    SET_TEMPLATE,
    TRANSFER_LEADER,
    RELEASE,
    RETRACT,
    RECREATE_POD,
    EVICT,
    LET_ROLL,
    ACT,
    UNDO,
    TELL,
    MIGRATE,
    SETTLE,
    REST,
    FORCE,
    UNFORCE,
    REVOKE
  }

  public String object() {
    return step.object();
  }

  public Fence fence() {
    return step.fence();
  }

  public boolean is(Kind kind) {
    return step.is(kind);
  }

  /** The same with another fence. */
  public RecordedStep withFence(Fence other) {
    return new RecordedStep(id, step.withFence(other), what, since, attempts);
  }

  /** The same, written down at another time. */
  public RecordedStep since(Instant other) {
    return new RecordedStep(id, step, what, other, attempts);
  }

  /** The same, begun so many times. */
  public RecordedStep attempts(int other) {
    return new RecordedStep(id, step, what, since, other);
  }
}
