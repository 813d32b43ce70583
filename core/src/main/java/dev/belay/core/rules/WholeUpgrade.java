package dev.belay.core.rules;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Snapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Where an upgrade stands over all components: whether nobody has moved yet, or everybody has. */
public record WholeUpgrade(Snapshot snapshot) {

  /** Some are to move, and none has. */
  public boolean begins() {
    List<Component> forward = forward();
    return !forward.isEmpty() && Among.all(forward, c -> course(c).arrived().isEmpty());
  }

  /** Everyone who was to move has moved, and everyone serves. */
  public boolean isThrough() {
    return !forward().isEmpty() && Among.all(snapshot.components(), this::isThrough);
  }

  /** The components that go to what was not there before, in order. */
  public List<Component> forward() {
    return Among.those(snapshot.components(), this::goesForward);
  }

  boolean goesForward(Component component) {
    Course course = course(component);
    ComponentMemory memory = memory(component);
    boolean moves = memory.target().isPresent() || !course.outdated().isEmpty();
    Optional<String> newest = component.workload().asOptional().map(Workload::updateRevision);
    boolean returns =
        memory
            .lastGood()
            .map(Good::revision)
            .filter(g -> newest.equals(Optional.of(g)))
            .isPresent();
    return moves && !returns && !course.sentBack();
  }

  /** When any of its roll-outs was last begun or tried again, or a member came to serve. */
  public Optional<Instant> lastNews() {
    return snapshot.components().stream()
        .flatMap(c -> course(c).lastNews().stream())
        .max(Instant::compareTo);
  }

  /**
   * When somebody who moved was last seen to come up, in whichever component; the end of time if it
   * is only seen now.
   */
  Instant lastCameToServe() {
    Instant last = Instant.EPOCH;
    for (Component component : snapshot.components()) {
      ComponentMemory memory = memory(component);
      if (memory.target().isEmpty()) {
        continue;
      }
      for (Pod pod : course(component).arrived()) {
        boolean up = MemberState.isUp(component, pod);
        Instant since =
            memory.servingSince().getOrDefault(pod.uid(), up ? Instant.MAX : Instant.EPOCH);
        last = since.isAfter(last) ? since : last;
      }
    }
    return last;
  }

  private boolean isThrough(Component component) {
    boolean rolls = memory(component).target().isPresent();
    boolean complete =
        component
            .workload()
            .asOptional()
            .filter(w -> component.podsInRange(w).size() == w.replicas())
            .isPresent();
    return complete
        && (!rolls || course(component).outdated().isEmpty())
        && Among.all(
            component.podList(),
            p -> !p.terminating() && p.ready() && (!rolls || serves(component, p)));
  }

  private boolean serves(Component component, Pod pod) {
    return memory(component).servingSince().containsKey(pod.uid());
  }

  private Course course(Component component) {
    return new Course(snapshot, component);
  }

  private ComponentMemory memory(Component component) {
    return snapshot.memory().component(component.name());
  }

  /**
   * In which order components go: those on the way back first, in reverse; then the others. A
   * component whose template is still to be written for the way back is among the first: else the
   * one before it would go back while its members are newer.
   */
  public static List<Component> order(Snapshot snapshot) {
    var back = new ArrayList<Component>();
    var forward = new ArrayList<Component>();
    for (Component c : snapshot.components()) {
      var course = new Course(snapshot, c);
      (course.goesBack() || isToReturn(course) ? back : forward).add(c);
    }
    var order = new ArrayList<>(back.reversed());
    order.addAll(forward);
    return order;
  }

  /**
   * The version that is asked for was good before this rollout, members have left it, and the
   * template is not written yet.
   */
  private static boolean isToReturn(Course course) {
    Component component = course.component();
    Optional<Aim> aim = Aim.of(course.snapshot(), component);
    return aim.isPresent()
        && component.workload().asOptional().filter(aim.get()::differsFrom).isPresent()
        && course
            .memory()
            .lastGood()
            .filter(g -> g.images().entrySet().containsAll(aim.get().images().entrySet()))
            .filter(g -> Among.any(component.podList(), p -> !p.revision().equals(g.revision())))
            .isPresent();
  }
}
