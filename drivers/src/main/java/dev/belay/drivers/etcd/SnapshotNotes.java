package dev.belay.drivers.etcd;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Note;
import dev.belay.drivers.RecordedState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Remembers, per member, how many raft snapshots it had saved when the cluster settled on a minor
 * release, so that one saved since then can be told from older ones.
 *
 * <p>The counter of the next process starts at 0 again. So once a newer snapshot was seen, the note
 * says that, and no counter any more.
 */
final class SnapshotNotes {

  static final String SETTLED = "settled";
  static final String MINOR = "minor";
  static final String PROCESS_START = "processStart";
  static final String SNAPSHOTS = "snapshots";
  static final String SAVED_SINCE = "savedSince";

  /**
   * The process start that etcd reports moves with the clock of its node. A start this much later
   * is another process; a smaller difference may be a clock that was set.
   */
  private static final BigDecimal CLOCK_STEP = BigDecimal.valueOf(60);

  private SnapshotNotes() {}

  static List<Note> next(List<Note> notes, Component component) {
    return component
        .topology()
        .asOptional()
        .flatMap(t -> settledOn(t).map(minor -> next(notes, t, minor)))
        .orElse(notes);
  }

  private static List<Note> next(List<Note> notes, Topology topology, Minor minor) {
    var next = new ArrayList<Note>();
    for (Member member : topology.members()) {
      Optional<Note> noted = noted(notes, minor, member);
      count(member)
          .asOptional()
          .map(now -> next(noted, now, minor, member))
          .or(() -> noted)
          .ifPresent(next::add);
    }
    return RecordedState.sorted(next);
  }

  private static Note next(Optional<Note> noted, Count now, Minor minor, Member member) {
    if (noted.filter(SnapshotNotes::isSaved).isPresent()) {
      return noted.get();
    }
    Optional<Count> then = noted.flatMap(Count::noted);
    if (then.isEmpty()) {
      return note(
          minor, member, Map.of(PROCESS_START, now.start.toString(), SNAPSHOTS, "" + now.saved));
    }
    return savedSince(then.get(), now)
        ? note(minor, member, Map.of(SAVED_SINCE, "true"))
        : noted.get();
  }

  /** Whether a member has saved a snapshot since the cluster settled on this minor. */
  static Fact<Boolean> saved(List<Note> notes, Minor minor, Member member) {
    Optional<Note> noted = noted(notes, minor, member);
    if (noted.isEmpty()) {
      return Fact.unknown("the cluster was not yet seen settled on " + minor);
    }
    if (isSaved(noted.get())) {
      return Fact.known(true);
    }
    return Count.noted(noted.get())
        .<Fact<Boolean>>map(then -> count(member).map(now -> savedSince(then, now)))
        .orElse(Fact.unknown("the note " + noted.get().values() + " cannot be read"));
  }

  private static boolean savedSince(Count then, Count now) {
    boolean another = now.saved < then.saved || now.start.compareTo(then.start.add(CLOCK_STEP)) > 0;
    return now.saved > then.saved || (another && now.saved > 0);
  }

  /** The minor on which every member runs and which every member calls the cluster's. */
  private static Optional<Minor> settledOn(Topology topology) {
    var minors = new LinkedHashMap<Minor, Boolean>();
    for (Member member : topology.members()) {
      for (Fact<String> said :
          List.of(member.version(), member.reading(Readings.CLUSTER_VERSION))) {
        Optional<Minor> minor = said.flatMap(Versions::parsed).map(Minor::of).asOptional();
        if (minor.isEmpty()) {
          return Optional.empty();
        }
        minors.put(minor.get(), true);
      }
    }
    return minors.size() == 1 ? minors.keySet().stream().findFirst() : Optional.empty();
  }

  private static Optional<Note> noted(List<Note> notes, Minor minor, Member member) {
    return RecordedState.note(notes, SETTLED, member.id())
        .filter(n -> n.value(MINOR).equals(minor.toString()));
  }

  private static boolean isSaved(Note note) {
    return note.value(SAVED_SINCE).equals("true");
  }

  private static Note note(Minor minor, Member member, Map<String, String> counted) {
    var values = new TreeMap<>(counted);
    values.put(MINOR, minor.toString());
    return new Note(SETTLED, member.id(), values);
  }

  private static Fact<Count> count(Member member) {
    return member
        .reading(Readings.PROCESS_START)
        .flatMap(start ->
            member
                .reading(Readings.SNAPSHOTS_SAVED)
                .flatMap(saved ->
                    Count.parse(start, saved)
                        .map(Fact::known)
                        .orElse(Fact.unknown("/metrics has \"" + saved + "\" saved snapshots"))));
  }

  /** How many snapshots a process had saved. */
  private record Count(BigDecimal start, long saved) {

    static Optional<Count> noted(Note note) {
      return parse(note.value(PROCESS_START), note.value(SNAPSHOTS));
    }

    static Optional<Count> parse(String start, String saved) {
      try {
        return Optional.of(
            new Count(new BigDecimal(start), new BigDecimal(saved).longValueExact()));
      } catch (ArithmeticException | NumberFormatException e) {
        return Optional.empty();
      }
    }
  }
}
