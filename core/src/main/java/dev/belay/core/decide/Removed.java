package dev.belay.core.decide;

import dev.belay.core.model.Among;
import dev.belay.core.model.Workload;
import dev.belay.core.rollout.GivingUp;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Components that are no longer in the spec, and for which something was done that is still to be
 * taken back. Only one that is named can be told: they stay in the record, and nobody goes on,
 * until they are named again or a person leaves it as it is.
 */
public record Removed(Snapshot snapshot) {

  Optional<Decision> held() {
    for (var each : owing().entrySet()) {
      Optional<Obligation> owed = Among.first(each.getValue().obligations(), Obligation::open);
      if (owed.isPresent()) {
        return Optional.of(held(each.getKey(), owed.get()));
      }
    }
    return Optional.empty();
  }

  private Decision held(String component, Obligation owed) {
    var givingUp = new GivingUp(snapshot, component, revision(), owed);
    return givingUp.isAgreed()
        ? new Perform(givingUp.leave())
        : givingUp.hold(
            Reasons.NOTHING_IS_OWED,
            "component "
                + component
                + " is no longer in spec.components, and owes "
                + owed.undo()
                + " for "
                + owed.object(),
            "name it again until that is taken back");
  }

  /** What is still to be remembered of them, after this decision. */
  public Map<String, ComponentMemory> remembered(Decision decision) {
    var remembered = new TreeMap<String, ComponentMemory>();
    owing()
        .forEach((name, memory) -> {
          List<Obligation> owed =
              Among.those(
                  memory.obligations(),
                  o ->
                      !(decision instanceof Perform(Step.GiveUp gives)
                          && gives.component().equals(name)
                          && gives.obligation().sharesUndo(o)));
          if (Among.any(owed, Obligation::open)) {
            remembered.put(name, memory.owing(owed));
          }
        });
    return remembered;
  }

  private Map<String, ComponentMemory> owing() {
    var owing = new TreeMap<>(snapshot.memory().components());
    owing.keySet().removeIf(name -> snapshot.component(name).isPresent());
    owing.values().removeIf(memory -> Among.none(memory.obligations(), Obligation::open));
    return owing;
  }

  /** They have no roll-out of their own any more: the word counts in that of the others. */
  private String revision() {
    return Among.first(snapshot.components())
        .flatMap(c -> c.workload().asOptional())
        .map(Workload::updateRevision)
        .orElse("");
  }
}
