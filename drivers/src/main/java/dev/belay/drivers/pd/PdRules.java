package dev.belay.drivers.pd;

import dev.belay.core.model.Component;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.drivers.RecordedState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What PD demands of an upgrade, beyond what holds for every system. */
final class PdRules {

  /**
   * PD looks at priorities once a minute, and a leader is replaced within seconds of its hand-over:
   * once may be chance, twice is a pattern.
   */
  static final int TOO_OFTEN = 2;

  static final Reason LEADERSHIP_STAYS_AWAY =
      new Reason(
          "LeadershipStaysAway",
          "PD takes leadership back to the member with the highest leader priority; moved off again"
              + " and again it would come back at the very moment its member goes down.",
          "Lower the member's priority for the time of the upgrade (pd-ctl member leader_priority"
              + " NAME 0), or raise another member's to the same.",
          "PD compares priorities once a minute and moves leadership by itself; a"
              + " transfer that was just verified is undone by it.");

  static final List<Rule> ALL =
      List.of(new Rule(LEADERSHIP_STAYS_AWAY, PdRules::leadershipStaysAway));

  private PdRules() {}

  private static Optional<Objection> leadershipStaysAway(
      Snapshot snapshot, Component component, Step step) {
    String pod = step.takesDown().orElse("");
    List<Note> notes = RecordedState.notes(snapshot, component);
    return component
        .topology()
        .asOptional()
        .flatMap(t ->
            PriorityNotes.leader(t)
                .filter(leader -> PriorityNotes.timesBack(notes, leader) >= TOO_OFTEN)
                .filter(leader -> livesIn(component, leader, pod))
                .flatMap(leader -> pulling(t, leader, PriorityNotes.timesBack(notes, leader))));
  }

  /** While somebody has the same priority, leadership can stay there. */
  private static Optional<Objection> pulling(Topology topology, Member leader, int times) {
    Optional<Member> rival =
        topology.members().stream()
            .filter(m -> !m.id().equals(leader.id()) && m.healthy())
            .max(Comparator.comparingLong(PdRules::priority));
    return rival
        .filter(m -> PriorityNotes.above(leader, m))
        .map(m ->
            LEADERSHIP_STAYS_AWAY.objection(
                leader.name(),
                "leadership came back to %s %d times: its leader priority is %d, the next highest is %d of %s"
                    .formatted(leader.name(), times, priority(leader), priority(m), m.name()),
                "pd-ctl member leader_priority %s %d, until the upgrade is done"
                    .formatted(leader.name(), priority(m)),
                Weight.HUMAN));
  }

  private static long priority(Member member) {
    return PriorityNotes.priority(member).asOptional().orElse(Long.MIN_VALUE);
  }

  private static boolean livesIn(Component component, Member member, String pod) {
    return component.podOf(member).filter(p -> p.name().equals(pod)).isPresent();
  }
}
