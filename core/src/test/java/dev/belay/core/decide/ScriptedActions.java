package dev.belay.core.decide;

import dev.belay.core.model.Action;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Whoever is sent something answers at once, unless it refuses, or nobody hears the answer. */
final class ScriptedActions {

  final List<Action.Result> results = new ArrayList<>();
  final Set<String> refuses = new HashSet<>();
  boolean deaf;

  /** Nobody can be found to send it to. */
  boolean unaddressed;

  void send(String id, String what, boolean undo) {
    boolean refused = refuses.contains(what);
    if (!deaf) {
      results.removeIf(r -> r.id().equals(id) && r.undo() == undo);
      results.add(
          new Action.Result(
              id,
              undo,
              refused ? Action.State.FAILED : Action.State.PASSED,
              refused ? "answered 500" : "answered 200"));
    }
  }
}
