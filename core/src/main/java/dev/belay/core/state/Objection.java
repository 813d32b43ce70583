package dev.belay.core.state;

import dev.belay.core.state.Memory.Blocked;

/**
 * Why a step may not be taken now.
 *
 * @param object what it is about: a pod, a member, a field
 * @param reading what was seen
 * @param cure what makes it go away
 */
public record Objection(Reason reason, String object, String reading, String cure, Weight weight) {

  /** What an objection asks of the world. */
  public enum Weight {
    /** The upgrade is under way; time alone resolves it. */
    PROGRESS,
    /** Something outside has to get better; Belay goes on by itself when it does. */
    WAIT,
    /** A person has to decide or repair. */
    HUMAN,
    /** The spec asks for what cannot be. */
    INVALID,
    /** The new revision does not work. */
    FAILURE;

    public boolean needsPerson() {
      return compareTo(HUMAN) >= 0;
    }
  }

  public boolean is(Reason other) {
    return reason.equals(other);
  }

  /** Whether this is what first stood in the way. */
  public boolean is(Blocked blocked) {
    return reason.is(blocked) && blocked.object().equals(object);
  }

  /** The same, said of another object. */
  public Objection about(String other) {
    return new Objection(reason, other, reading, cure, weight);
  }

  /** The same with another weight. */
  public Objection weighing(Weight other) {
    return new Objection(reason, object, reading, cure, other);
  }

  /** One line for people. */
  public String sentence() {
    return reason.name() + ", " + reading + "; cure: " + cure;
  }
}
