package dev.belay.core.plan;

import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Snapshot;
import java.util.Optional;

/**
 * A name and an objection. Rules only object; a step to which nobody objects is allowed. A rule
 * reads nothing but the snapshot.
 *
 * @param name a sentence fragment, and API: condition reason, event reason, metric label, docs
 *     anchor
 * @param protects one sentence for docs/rules.md: what is lost without it
 * @param cure one sentence for docs/rules.md: what a person does when it stays
 * @param because for docs/rules.md: the fact or the field report behind it
 */
public record Rule(String name, String protects, String cure, String because, Judge judge) {

  public Rule(String name, String protects, String cure, Judge judge) {
    this(name, protects, cure, "", judge);
  }

  /** The same rule, and what it rests on. */
  public Rule because(String fact) {
    return new Rule(name, protects, cure, fact, judge);
  }

  /** The question a rule answers about one step on one component. */
  @FunctionalInterface
  public interface Judge {
    Optional<Objection> object(Snapshot snapshot, Component component, Step step);
  }

  public Optional<Objection> objection(Snapshot snapshot, Component component, Step step) {
    // What another part of the planner says in other places keeps its name here.
    return judge
        .object(snapshot, component, step)
        .map(o -> o.rule().isEmpty() ? o.withRule(name) : o);
  }
}
