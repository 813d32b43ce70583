package dev.belay.drivers.tikv;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Sorted;
import dev.belay.core.state.Command;
import dev.belay.core.state.Note;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Snapshot;
import dev.belay.drivers.RecordedState;
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
   * @param since when it was recorded; empty where the note does not tell
   */
  record Eviction(String pod, String uid, String started, Optional<Instant> since) {

    private static Eviction noted(Note note) {
      return new Eviction(
          note.value(POD), note.value(UID), note.value(STARTED), RecordedState.time(note, SINCE));
    }

    private Note note(String store) {
      var values = new TreeMap<>(Map.of(POD, pod, UID, uid, STARTED, started));
      since.ifPresent(at -> values.put(SINCE, at.toString()));
      return new Note(EVICTED, store, values);
    }
  }

  /** A command that was sent at its last moment may need a while until its effect is seen. */
  static final Duration IN_FLIGHT = Command.LIFE.plusSeconds(5);

  private static final String EVICTED = "evicted";
  private static final String POD = "pod";
  private static final String UID = "uid";
  private static final String STARTED = "started";
  private static final String SINCE = "since";

  Debts {
    evictions = Sorted.copyOf(evictions);
  }

  static Debts noted(List<Note> notes) {
    var evictions = new TreeMap<String, Eviction>();
    RecordedState.notes(notes, EVICTED).forEach(n -> evictions.put(n.about(), Eviction.noted(n)));
    return new Debts(evictions);
  }

  List<Note> notes() {
    return RecordedState.sorted(
        evictions.entrySet().stream().map(e -> e.getValue().note(e.getKey())).toList());
  }

  /** What is owed on this look. */
  static Debts of(Snapshot snapshot, Component component) {
    Debts noted = noted(RecordedState.notes(snapshot, component));
    Optional<RecordedStep> evict =
        RecordedState.step(snapshot, component)
            .filter(s -> Command.of(s).filter(Orders::evicts).isPresent())
            // Without the uid of its pod nobody could tell whether the store went down.
            .filter(_ -> component.pods() instanceof Fact.Known);
    Optional<String> inFlight =
        evict
            .filter(s -> snapshot.at().isBefore(s.since().plus(IN_FLIGHT)))
            .flatMap(Command::of)
            .map(Command::memberId);
    return evict.map(s -> noted.with(s, component)).orElse(noted).seen(component, inFlight);
  }

  private Debts with(RecordedStep evict, Component component) {
    var more = new TreeMap<>(evictions);
    Command.of(evict)
        .map(Command::memberId)
        .ifPresent(store -> more.putIfAbsent(store, begun(evict, component, store)));
    return new Debts(more);
  }

  private static Eviction begun(RecordedStep evict, Component component, String store) {
    Optional<Member> member = member(component, store);
    return new Eviction(
        evict.object(),
        pod(component, evict.object()).map(Pod::uid).orElse(""),
        member.flatMap(m -> m.reading(Readings.STARTED).asOptional()).orElse(""),
        Optional.of(evict.since()));
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
    return evictions.entrySet().stream()
        .map(e ->
            "region leaders back on %s (store %s): they were moved off before it went down"
                .formatted(e.getValue().pod(), e.getKey()))
        .toList();
  }
}
