package dev.belay.core.rollout;

import dev.belay.core.model.Action.Moment;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.rules.Course;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Snapshot;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who has not moved yet in a roll-out: sent back, it is where it always was. Noted by uid, since
 * pods are dated by another clock than ours, and only where it matters.
 */
public record Unmoved(Snapshot snapshot, Component component) {

  boolean has(Pod pod) {
    return noted().contains(pod.uid());
  }

  /** Their uids, as they are noted while the roll-out lasts. */
  public Set<String> pods(boolean rolling) {
    boolean matters = Among.any(component.spec().actions(), a -> a.moment() == Moment.AFTER_MEMBER);
    return rolling && matters ? seen() : Set.of();
  }

  /**
   * One that is outdated at another revision than the last good one has been on its way already.
   */
  private Set<String> seen() {
    Set<String> noted = noted();
    List<Pod> outdated = new Course(snapshot, component).outdated();
    var unmoved = new TreeSet<String>();
    for (Pod pod : component.podList()) {
      boolean old = memory().lastGood().filter(g -> !g.revision().equals(pod.revision())).isEmpty();
      if ((old && outdated.contains(pod)) || noted.contains(pod.uid())) {
        unmoved.add(pod.uid());
      }
    }
    return unmoved;
  }

  private Set<String> noted() {
    return memory().observed().unmoved();
  }

  private ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }
}
