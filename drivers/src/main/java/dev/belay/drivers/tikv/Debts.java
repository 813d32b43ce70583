package dev.belay.drivers.tikv;

import dev.belay.core.driver.Command;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Memory.RecordedStep;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The stores that Belay has leaders moved off, by id. An eviction begins with the recorded step
 * that asks for it and is noted from the next look on; it ends when PD is seen without it, whoever
 * ended it.
 */
record Debts(Map<String, Eviction> evictions) {

  /**
   * @param pod the pod of the store
   * @param uid its uid at that time: another one is the pod that came back
   * @param started when the store's process began at that time; empty where that was not known
   */
  record Eviction(String pod, String uid, String started, Instant since) {

    private static final String NONE = "-";

    private static Optional<Eviction> noted(String note) {
      String[] parts = note.split(" ", -1);
      return parts.length == 4
          ? Optional.of(
              new Eviction(parts[0], word(parts[1]), word(parts[2]), Instant.parse(parts[3])))
          : Optional.empty();
    }

    private static String word(String part) {
      return part.equals(NONE) ? "" : part;
    }

    private String note() {
      return String.join(
          " ",
          pod,
          uid.isEmpty() ? NONE : uid,
          started.isEmpty() ? NONE : started,
          since.toString());
    }
  }

  /** A command that was sent at its last moment may need a while until its effect is seen. */
  static final Duration IN_FLIGHT = Command.LIFE.plusSeconds(5);

  private static final String EVICTED = "evicted.";

  Debts {
    evictions = Map.copyOf(evictions);
  }

  static Debts noted(Map<String, String> notes) {
    var evictions = new TreeMap<String, Eviction>();
    notes.forEach((key, note) -> {
      if (key.startsWith(EVICTED)) {
        Eviction.noted(note).ifPresent(e -> evictions.put(key.substring(EVICTED.length()), e));
      }
    });
    return new Debts(evictions);
  }

  Map<String, String> notes() {
    var notes = new TreeMap<String, String>();
    evictions.forEach((store, eviction) -> notes.put(EVICTED + store, eviction.note()));
    return notes;
  }

  /** What is owed on this look. */
  static Debts of(Snapshot snapshot, Component component) {
    Debts noted = noted(snapshot.memory().component(component.name()).notes());
    Optional<RecordedStep> mine = snapshot.memory().step().filter(s -> component.owns(s.object()));
    Optional<RecordedStep> inFlight =
        mine.filter(s -> snapshot.at().isBefore(s.since().plus(IN_FLIGHT)));
    return mine.map(step -> noted.with(step, component))
        .orElse(noted)
        .seen(component, inFlight.flatMap(s -> Orders.evicted(s.what())));
  }

  private Debts with(RecordedStep step, Component component) {
    Optional<String> store = Orders.evicted(step.what());
    if (store.isEmpty() || evictions.containsKey(store.get())) {
      return this;
    }
    var more = new TreeMap<>(evictions);
    Optional<Member> member = member(component, store.get());
    more.put(
        store.get(),
        new Eviction(
            step.object(),
            pod(component, step.object()).map(Pod::uid).orElse(""),
            member.flatMap(m -> m.reading(Readings.STARTED).asOptional()).orElse(""),
            step.since()));
    return new Debts(more);
  }

  static Optional<Member> member(Component component, String store) {
    return component.topology().asOptional().flatMap(t -> t.member(store));
  }

  static Optional<Pod> pod(Component component, String name) {
    return component.podList().stream().filter(p -> p.name().equals(name)).findFirst();
  }

  /** Without what PD does not do any more; what cannot be seen stays owed. */
  private Debts seen(Component component, Optional<String> inFlight) {
    var left = new TreeMap<>(evictions);
    left.keySet()
        .removeIf(store ->
            !inFlight.equals(Optional.of(store)) && Evicted.of(component, store).is(Readings.OFF));
    return new Debts(left);
  }

  List<String> words() {
    return new TreeMap<>(evictions)
        .entrySet().stream()
            .map(e ->
                "region leaders back on %s (store %s): they were moved off before it went down"
                    .formatted(e.getValue().pod(), e.getKey()))
            .toList();
  }
}
