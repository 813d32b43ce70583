package dev.belay.sim.operator;

import dev.belay.core.model.Among;
import dev.belay.core.model.Check;
import dev.belay.core.model.Check.State;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.WholeUpgrade;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.world.Part;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks, asked beside the loop. Facts: an answer is known to the process that asked and to nobody
 * else; it counts for two intervals and a time-out, and from when it was asked for; so many bad
 * ones in a row fail the check; what is different about a question begins its count anew.
 */
final class Questions {

  static final Duration INTERVAL = Duration.ofSeconds(1);
  static final Duration TIMEOUT = Duration.ofSeconds(2);

  private static final int TRIES = 3;

  /** What matters now, and to whom; since when it does so. */
  private record Due(String component, Check check, String uid, Instant since) {}

  private record Standing(State state, int failures, String reading, Instant asked, Instant told) {}

  private final Instance instance;
  private final Runnable wake;
  private final Map<Due, Optional<Standing>> asked = new LinkedHashMap<>();

  /**
   * @param wake called when an answer is another one than before
   */
  Questions(Instance instance, Runnable wake) {
    this.instance = instance;
    this.wake = wake;
  }

  /** The answers that are there, and not too old. */
  List<Check.Result> answers(Component component, Snapshot snapshot) {
    var found = new ArrayList<Check.Result>();
    for (Due due : due(component, snapshot)) {
      asked
          .getOrDefault(due, Optional.empty())
          .filter(s -> isFresh(s.told()))
          .map(s -> new Check.Result(due.check(), due.uid(), s.state(), s.reading(), s.asked()))
          .ifPresent(found::add);
    }
    return found;
  }

  private boolean isFresh(Instant told) {
    return !told.plus(INTERVAL.multipliedBy(2)).plus(TIMEOUT).isBefore(instance.world.time.now());
  }

  /** From now on asks what matters after a turn that ended with this memory. */
  void follow(Snapshot seen, Memory memory) {
    Snapshot after = seen.remembering(memory);
    var matters = new ArrayList<Due>();
    after.components().forEach(c -> matters.addAll(due(c, after)));
    asked.keySet().retainAll(matters);
    for (Due due : matters) {
      if (!asked.containsKey(due)) {
        asked.put(due, Optional.empty());
        ask(due);
      }
    }
  }

  /** Another process is the owner. */
  void forget() {
    asked.clear();
  }

  private void ask(Due due) {
    if (!instance.alive || !asked.containsKey(due)) {
      return;
    }
    Instant now = instance.clock();
    boolean calm = instance.world.weather.over();
    boolean late = !calm && instance.rng.chance(10);
    boolean unlucky = !calm && instance.rng.chance(4);
    Duration takes =
        late ? instance.rng.millis(300, (int) TIMEOUT.toMillis()) : instance.rng.millis(5, 100);
    instance.world.time.after(takes, () -> tell(due, now, !unlucky && isGood(due)));
  }

  private void tell(Due due, Instant when, boolean good) {
    if (!instance.alive || !asked.containsKey(due)) {
      return;
    }
    Optional<Standing> before = asked.getOrDefault(due, Optional.empty());
    int failures = good ? 0 : Math.min(TRIES, before.map(Standing::failures).orElse(0) + 1);
    State state = good ? State.PASSED : failures < TRIES ? State.TRYING : State.FAILED;
    String reading = good ? "answered 200" : "answered 503 (" + failures + ")";
    var now = new Standing(state, failures, reading, when, instance.world.time.now());
    asked.put(due, Optional.of(now));
    if (before.map(Standing::state).filter(state::equals).isEmpty()) {
      wake.run();
    }
    instance.world.time.after(INTERVAL, () -> ask(due));
  }

  private boolean isGood(Due due) {
    Part part = instance.world.part(due.component()).orElseThrow();
    return due.uid().isEmpty()
        ? !instance.world.busy()
        : part.store.pod(due.uid()).filter(part::works).isPresent();
  }

  /** Nothing is asked while no roll-out is under way. */
  private static List<Due> due(Component component, Snapshot snapshot) {
    ComponentMemory memory = snapshot.memory().component(component.name());
    boolean rolls = memory.adopted() && memory.target().isPresent();
    if (component.spec().checks().isEmpty() || !rolls || snapshot.subject().deleting()) {
      return List.of();
    }
    var course = new Course(snapshot, component);
    Instant since = course.lastNews().orElseThrow();
    var due = new ArrayList<Due>();
    for (Check check : component.spec().checks()) {
      switch (check.moment()) {
        case BEFORE_MEMBER -> {
          if (!course.withdrawing() && !course.outdated().isEmpty()) {
            Instant news = new WholeUpgrade(snapshot).lastNews().orElseThrow();
            due.add(new Due(component.name(), check, "", news));
          }
        }
        case AFTER_MEMBER -> {
          if (isCalm(course, memory)) {
            course
                .arrived()
                .forEach(p -> due.add(new Due(component.name(), check, p.uid(), since)));
          }
        }
        case BEFORE_UPGRADE, BEFORE_COMPONENT, AFTER_COMPONENT, AFTER_UPGRADE ->
            throw new IllegalArgumentException("nobody here asks " + check);
      }
    }
    return due;
  }

  /** While a member is on its way the others may rightly miss it. */
  private static boolean isCalm(Course course, ComponentMemory memory) {
    Component component = course.component();
    boolean complete =
        component
            .workload()
            .asOptional()
            .filter(w -> component.podsInRange(w).size() == w.replicas())
            .isPresent();
    return complete
        && Among.none(component.podList(), Pod::terminating)
        && Among.all(
            course.arrived(), p -> p.ready() && memory.servingSince().containsKey(p.uid()));
  }
}
