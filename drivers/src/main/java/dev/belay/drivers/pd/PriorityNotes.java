package dev.belay.drivers.pd;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Note;
import dev.belay.drivers.RecordedState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Remembers, during a roll-out, who led before, so that leadership which PD itself takes back to a
 * member with a higher priority can be told from a transfer that failed.
 *
 * <p>Nothing is kept when no roll-out is under way.
 */
final class PriorityNotes {

  /** Which member leads now, and which one led before it. */
  static final String LEADER = "leader";

  static final String NOW = "now";
  static final String BEFORE = "before";

  /** How often leadership came back to a member by priority. */
  static final String BACK = "back";

  static final String TIMES = "times";

  private PriorityNotes() {}

  static List<Note> next(List<Note> notes, Component component) {
    if (!rolling(component)) {
      return List.of();
    }
    return component
        .topology()
        .asOptional()
        .flatMap(t -> leader(t).map(now -> next(notes, t, now)))
        .orElse(notes);
  }

  private static List<Note> next(List<Note> notes, Topology topology, Member now) {
    Optional<Note> noted = RecordedState.note(notes, LEADER, "");
    String last = noted.map(n -> n.value(NOW)).orElse("");
    if (last.equals(now.id())) {
      return notes;
    }
    boolean back =
        noted.filter(n -> n.value(BEFORE).equals(now.id())).isPresent()
            && topology.member(last).filter(m -> above(now, m)).isPresent();
    var next = new ArrayList<>(RecordedState.notes(notes, BACK).toList());
    next.add(new Note(LEADER, "", Map.of(NOW, now.id(), BEFORE, last)));
    if (back) {
      next.removeIf(n -> n.kind().equals(BACK) && n.about().equals(now.id()));
      String times = Integer.toString(timesBack(notes, now) + 1);
      next.add(new Note(BACK, now.id(), Map.of(TIMES, times)));
    }
    return RecordedState.sorted(next);
  }

  /** How often leadership came back to this member by its priority, in this roll-out. */
  static int timesBack(List<Note> notes, Member member) {
    return RecordedState.note(notes, BACK, member.id())
        .map(n -> n.value(TIMES))
        .filter(times -> times.matches("\\d{1,6}"))
        .map(Integer::parseInt)
        .orElse(0);
  }

  /** Whether PD would take leadership from {@code other} to {@code member} by itself. */
  static boolean above(Member member, Member other) {
    return priority(member).flatMap(mine -> priority(other).map(theirs -> mine > theirs)).is(true);
  }

  static Fact<Long> priority(Member member) {
    return member.reading(Readings.LEADER_PRIORITY).map(Long::parseLong);
  }

  static Optional<Member> leader(Topology topology) {
    return topology.leader().asOptional().flatMap(l -> topology.member(l.memberId()));
  }

  private static boolean rolling(Component component) {
    Optional<String> wanted = component.workload().asOptional().map(Workload::updateRevision);
    return wanted.isEmpty()
        || component.podList().stream().anyMatch(p -> !p.revision().equals(wanted.get()));
  }
}
