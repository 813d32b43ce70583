package dev.belay.core.driver;

import dev.belay.core.model.Component;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.state.Command;
import dev.belay.core.state.Note;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import java.util.Comparator;
import java.util.List;
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
  List<Note> remember(Snapshot snapshot, Component component);

  /** How far back this component can still go, by what is seen of it now. */
  WayBack wayBack(Component component);

  /** And by what {@link #remember} has noted: a member that is down tells nothing. */
  default WayBack wayBack(Component component, List<Note> notes) {
    return wayBack(component);
  }

  /** Why there is no way back once this pod has the new revision; empty when there still is. */
  default Optional<String> closes(Component component, Pod target) {
    return Optional.empty();
  }

  /**
   * What the system has to be told before this member may be taken down, one thing at a time; empty
   * when it is prepared for that, or needs no preparation. Every rule but the leader's has agreed.
   */
  default Optional<Command> prepare(Snapshot snapshot, Component component, Pod target) {
    return Optional.empty();
  }

  /**
   * What the system has to be told next so that leadership goes from one member to another; empty
   * when the driver's transferLeader does that in one.
   */
  default Optional<Command> handOver(
      Snapshot snapshot, Component component, Member from, Member successor) {
    return Optional.empty();
  }

  /**
   * What the system has to be told to be whole again, whatever else is going on: what was begun and
   * is not needed any more is taken back, an interrupted hand-over is brought to its end. Asked
   * first on every look, also while paused, failed, aborted or about to leave.
   *
   * @param busy the member that is about to be taken down, is down for the upgrade or coming back;
   *     for it preparations stand
   */
  default Optional<Command> tend(Snapshot snapshot, Component component, Optional<Pod> busy) {
    return Optional.empty();
  }

  /** What {@link #remember} has noted that is still to be taken back, in words. */
  default List<String> owes(Component component, List<Note> notes) {
    return List.of();
  }

  /** The component after a command that went as it should, for the forecast. */
  default Component after(Component component, Command command) {
    return component;
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
        public List<Note> remember(Snapshot snapshot, Component component) {
          return List.of();
        }

        @Override
        public WayBack wayBack(Component component) {
          return WayBack.open("nothing read by Belay closes it");
        }
      };
}
