package dev.belay.core.state;

import dev.belay.core.model.Fact;
import dev.belay.core.state.Memory.Blocked;
import dev.belay.core.state.Objection.Weight;

/**
 * Why a step may not be taken. The name is API: conditions, events, metrics and docs use it.
 *
 * @param protects one sentence for docs/rules.md: what is lost without it
 * @param cure one sentence for docs/rules.md: what a person does when it stays
 * @param because for docs/rules.md: the fact or the field report behind it
 */
public record Reason(String name, String protects, String cure, String because) {

  public Objection objection(String object, String reading, String cure, Weight weight) {
    return new Objection(this, object, reading, cure, weight);
  }

  /** Cannot see, therefore may not. */
  public Objection unseen(String object, Fact.Unknown<?> unknown) {
    return objection(object, "unknown: " + unknown.why(), "make it readable again", Weight.WAIT);
  }

  /** Whether this is what first stood in the way, about whichever object. */
  public boolean is(Blocked blocked) {
    return blocked.rule().equals(name);
  }
}
