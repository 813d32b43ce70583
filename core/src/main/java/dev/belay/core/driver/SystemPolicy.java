package dev.belay.core.driver;

import dev.belay.core.plan.Rule;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What one kind of system demands of an upgrade: the pure half of a driver. */
public interface SystemPolicy {

  /** Rules of this system, beyond those that hold for all. */
  List<Rule> rules();

  /** The best successor of a leader comes first; all candidates are healthy voters. */
  Comparator<Member> successors(Component component);

  /**
   * What to remember from now on, given what was remembered and what is seen. Pure, and equal input
   * gives equal output: the result is written to the status when it changes.
   */
  Map<String, String> remember(Snapshot snapshot, Component component);

  /** How far back this component can still go. */
  WayBack wayBack(Component component);

  /** Why there is no way back once this pod has the new revision; empty when there still is. */
  default Optional<String> closes(Component component, Pod target) {
    return Optional.empty();
  }

  /** Readiness is all there is to know: no leaders, no groups. */
  SystemPolicy NONE =
      new SystemPolicy() {
        @Override
        public List<Rule> rules() {
          return List.of();
        }

        @Override
        public Comparator<Member> successors(Component component) {
          return Comparator.comparing(Member::name);
        }

        @Override
        public Map<String, String> remember(Snapshot snapshot, Component component) {
          return Map.of();
        }

        @Override
        public WayBack wayBack(Component component) {
          return WayBack.open("nothing read by Belay closes it");
        }
      };
}
