package dev.belay.drivers.pd;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Note;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.drivers.RecordedState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What PD demands of an upgrade: the pure half of its driver. */
public final class PdPolicy implements SystemPolicy {

  public static final PdPolicy INSTANCE = new PdPolicy();

  private static final long NO_LAG = 500;

  private PdPolicy() {}

  @Override
  public List<Rule> rules() {
    return PdRules.ALL;
  }

  /**
   * An updated successor need not be moved off again; from one with a high priority nobody takes
   * leadership away; then the least lag worth the name, the name.
   */
  @Override
  public Comparator<Member> successors(Component component) {
    return Comparator.comparingInt((Member m) -> updated(component, m) ? 0 : 1)
        .thenComparing(PdPolicy::priority, Comparator.reverseOrder())
        .thenComparingLong(PdPolicy::lag)
        .thenComparing(Member::name)
        .thenComparing(Member::id);
  }

  private static boolean updated(Component component, Member member) {
    Optional<String> wanted = component.workload().asOptional().map(Workload::updateRevision);
    return wanted.isPresent() && component.podOf(member).map(Pod::revision).equals(wanted);
  }

  private static long priority(Member member) {
    return PriorityNotes.priority(member).asOptional().orElse(Long.MIN_VALUE);
  }

  /** Under load healthy members differ by a few entries at any moment: that is no difference. */
  private static long lag(Member member) {
    return member
        .reading(Readings.LAG)
        .map(text -> Math.max(0, Long.parseLong(text) - NO_LAG))
        .asOptional()
        .orElse(Long.MAX_VALUE);
  }

  @Override
  public List<Note> remember(Snapshot snapshot, Component component) {
    return PriorityNotes.next(RecordedState.notes(snapshot, component), component);
  }

  /** PD writes no version down that an older one would refuse. */
  @Override
  public WayBack wayBack(Component component) {
    return WayBack.open("PD keeps nothing that would make an older release refuse to start");
  }
}
