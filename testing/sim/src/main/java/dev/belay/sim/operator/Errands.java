package dev.belay.sim.operator;

import dev.belay.core.model.Action;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Actions, and what takes them back, sent beside the loop. Facts: an answer is known to the process
 * that waited for it and to nobody else; whoever bears a pod's name gets what is owed to it; no try
 * is made without a fresh look, which drops what it does not know.
 */
final class Errands {

  private static final int TRIES = 3;
  private static final Duration AGAIN = Duration.ofMillis(500);

  private record Key(String component, String id, boolean undo) {}

  private final Instance instance;
  private final Map<Key, Action.State> answers = new LinkedHashMap<>();
  private Instant lastLook;

  Errands(Instance instance) {
    this.instance = instance;
    this.lastLook = instance.looked;
  }

  /** What became of the obligations that are in the record; of any other nothing is kept. */
  List<Action.Result> answers(String component, Memory memory) {
    lastLook = instance.looked;
    if (!isMine(memory)) {
      answers.clear();
    }
    if (answers.isEmpty()) {
      return List.of();
    }
    Set<String> known =
        memory.component(component).obligations().stream()
            .map(Obligation::id)
            .collect(Collectors.toSet());
    answers.keySet().removeIf(k -> k.component().equals(component) && !known.contains(k.id()));
    var found = new ArrayList<Action.Result>();
    for (Obligation o : memory.component(component).obligations()) {
      for (boolean undo : new boolean[] {false, true}) {
        Optional.ofNullable(answers.get(new Key(component, o.id(), undo)))
            .ifPresent(state -> found.add(new Action.Result(o.id(), undo, state, "answered")));
      }
    }
    return found;
  }

  private boolean isMine(Memory memory) {
    return memory.owner().filter(instance::is).isPresent();
  }

  /** Another process is the owner: what was not sent yet is not sent any more. */
  void forget() {
    answers.clear();
  }

  void send(Part part, Obligation obligation, boolean undo, Instant looked) {
    lastLook = looked;
    var key = new Key(part.name(), obligation.id(), undo);
    answers.put(key, Action.State.SENDING);
    // What was done before in the other direction says nothing any more about how things are.
    answers.remove(new Key(part.name(), obligation.id(), !undo));
    attempt(part, obligation, key, 1);
  }

  private void attempt(Part part, Obligation obligation, Key key, int tries) {
    instance.world.time.after(
        instance.rng.millis(20, 300), () -> arrive(part, obligation, key, tries));
  }

  private void arrive(Part part, Obligation obligation, Key key, int tries) {
    if (!instance.alive || answers.get(key) != Action.State.SENDING) {
      return;
    }
    if (instance.world.time.now().isAfter(lastLook.plus(Hands.FRESH))) {
      instance.world.time.after(AGAIN, () -> arrive(part, obligation, key, tries));
      return;
    }
    String pod = obligation.object();
    boolean unlucky = !instance.world.weather.over() && instance.rng.chance(10);
    if (answering(part, pod) && !unlucky) {
      part.told(pod, key.undo() ? obligation.undo() : obligation.what());
      answers.put(key, Action.State.PASSED);
    } else if (tries < TRIES) {
      instance.world.time.after(
          Duration.ofSeconds(1), () -> attempt(part, obligation, key, tries + 1));
    } else {
      instance.say(
          pod + " does not answer " + (key.undo() ? obligation.undo() : obligation.what()));
      part.silent(pod, key.undo());
      answers.put(key, Action.State.FAILED);
    }
  }

  private static boolean answering(Part part, String pod) {
    return part.pods().stream()
        .filter(p -> p.name().equals(pod))
        .map(PodObject::ordinal)
        .anyMatch(o -> part.raft.voter(o).filter(v -> v.running && !v.paused).isPresent());
  }
}
