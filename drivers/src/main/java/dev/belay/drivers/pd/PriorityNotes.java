package dev.belay.drivers.pd;

import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Topology;
import dev.belay.core.snapshot.Workload;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Remembers, during a roll-out, who led before, so that leadership which PD itself takes back to a
 * member with a higher priority can be told from a transfer that failed.
 *
 * <p>{@code leader} leads, {@code before} led until then; {@code back.<member>} counts how often
 * leadership came back to a member by priority. Nothing is kept when no roll-out is under way.
 */
final class PriorityNotes {

  private static final String LEADER = "leader";
  private static final String BEFORE = "before";
  private static final String BACK = "back.";

  private PriorityNotes() {}

  static Map<String, String> next(Map<String, String> notes, Component component) {
    if (!rolling(component)) {
      return Map.of();
    }
    return component
        .topology()
        .asOptional()
        .flatMap(t -> leader(t).map(now -> next(notes, t, now)))
        .orElse(notes);
  }

  private static Map<String, String> next(
      Map<String, String> notes, Topology topology, Member now) {
    String last = notes.getOrDefault(LEADER, now.id());
    if (last.equals(now.id()) && notes.containsKey(LEADER)) {
      return notes;
    }
    var next = new TreeMap<String, String>(notes);
    next.put(LEADER, now.id());
    if (!last.equals(now.id())) {
      next.put(BEFORE, last);
      boolean back = now.id().equals(notes.get(BEFORE));
      if (back && topology.member(last).filter(m -> above(now, m)).isPresent()) {
        next.put(BACK + now.id(), Integer.toString(timesBack(notes, now) + 1));
      }
    }
    return next;
  }

  /** How often leadership came back to this member by its priority, in this roll-out. */
  static int timesBack(Map<String, String> notes, Member member) {
    String count = notes.getOrDefault(BACK + member.id(), "0");
    return count.matches("\\d{1,6}") ? Integer.parseInt(count) : 0;
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
