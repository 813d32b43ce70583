package dev.belay.core.plan;

import dev.belay.core.snapshot.Fact;

/**
 * Why a step may not be taken now.
 *
 * @param rule the name of the rule that objects; it is the same word in status, event, metric and
 *     docs
 * @param object what it is about: a pod, a member, a field
 * @param reading what was seen
 * @param cure what makes it go away
 */
public record Objection(String rule, String object, String reading, String cure, Weight weight) {

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

  /** Cannot see, therefore may not. */
  public static Objection unseen(String rule, String object, Fact.Unknown<?> unknown) {
    return new Objection(
        rule, object, "unknown: " + unknown.why(), "make it readable again", Weight.WAIT);
  }

  public Objection withRule(String name) {
    return new Objection(name, object, reading, cure, weight);
  }

  /** One line for people. */
  public String sentence() {
    return rule + ", " + reading + "; cure: " + cure;
  }
}
