package dev.belay.drivers.etcd;

import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Topology;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Remembers, per member, how many raft snapshots it had saved when the cluster settled on a minor
 * release, so that one saved since then can be told from older ones.
 *
 * <p>A note is {@code settled.<minor>.<member>} = {@code <process start>/<snapshots saved>}; it
 * becomes {@link #SAVED} once a newer snapshot was seen, because the counter of the next process
 * starts at 0 again.
 */
final class SnapshotNotes {

  static final String SAVED = "saved";

  /**
   * The process start that etcd reports moves with the clock of its node. A start this much later
   * is another process; a smaller difference may be a clock that was set.
   */
  private static final BigDecimal CLOCK_STEP = BigDecimal.valueOf(60);

  private SnapshotNotes() {}

  static Map<String, String> next(Map<String, String> notes, Component component) {
    return component
        .topology()
        .asOptional()
        .flatMap(t -> settledOn(t).map(minor -> next(notes, t, minor)))
        .orElse(notes);
  }

  private static Map<String, String> next(
      Map<String, String> notes, Topology topology, Minor minor) {
    var next = new TreeMap<String, String>();
    for (Member member : topology.members()) {
      String key = key(minor, member);
      Optional<Count> now = count(member).asOptional();
      Optional<String> noted = Optional.ofNullable(notes.get(key));
      Optional<String> value = now.isEmpty() ? noted : Optional.of(next(noted, now.get()));
      value.ifPresent(v -> next.put(key, v));
    }
    return next;
  }

  private static String next(Optional<String> noted, Count now) {
    if (noted.isEmpty()) {
      return now.text();
    }
    if (noted.get().equals(SAVED)) {
      return SAVED;
    }
    Optional<Count> then = Count.parse(noted.get());
    if (then.isEmpty()) {
      return now.text();
    }
    return savedSince(then.get(), now) ? SAVED : noted.get();
  }

  /** Whether a member has saved a snapshot since the cluster settled on this minor. */
  static Fact<Boolean> saved(Map<String, String> notes, Minor minor, Member member) {
    String note = notes.get(key(minor, member));
    if (note == null) {
      return Fact.unknown("the cluster was not yet seen settled on " + minor);
    }
    if (note.equals(SAVED)) {
      return Fact.known(true);
    }
    return Count.parse(note)
        .<Fact<Boolean>>map(then -> count(member).map(now -> savedSince(then, now)))
        .orElse(Fact.unknown("the note \"" + note + "\" cannot be read"));
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

  private static String key(Minor minor, Member member) {
    return "settled." + minor + "." + member.id();
  }

  private static Fact<Count> count(Member member) {
    return member
        .reading(Readings.PROCESS_START)
        .flatMap(start ->
            member
                .reading(Readings.SNAPSHOTS_SAVED)
                .flatMap(saved ->
                    Count.parse(start + "/" + saved)
                        .map(Fact::known)
                        .orElse(Fact.unknown("/metrics has \"" + saved + "\" saved snapshots"))));
  }

  /** How many snapshots a process had saved. */
  private record Count(BigDecimal start, long saved, String text) {

    static Optional<Count> parse(String text) {
      int slash = text.indexOf('/');
      try {
        var start = new BigDecimal(text.substring(0, Math.max(slash, 0)));
        long saved = new BigDecimal(text.substring(slash + 1)).longValueExact();
        return Optional.of(new Count(start, saved, text));
      } catch (ArithmeticException | NumberFormatException e) {
        return Optional.empty();
      }
    }
  }
}
