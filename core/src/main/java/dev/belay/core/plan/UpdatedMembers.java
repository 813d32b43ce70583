package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.FAILURE;
import static dev.belay.core.plan.Objection.Weight.PROGRESS;
import static dev.belay.core.plan.Objection.Weight.WAIT;

import dev.belay.core.snapshot.Among;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Memory.Target;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;

/** Whether the members that have the new revision serve, and have served for their soak. */
public final class UpdatedMembers {

  public static final Reason UPDATED_MEMBERS_SERVE =
      new Reason(
          "UpdatedMembersServe",
          "A member that already has the new revision is ready, healthy and through its soak"
              + " before the next one is touched; a failed one stops the line.",
          "Correct or revert the template.",
          "postgres-operator#1765: a pod that no node took did not stop the line, and all"
              + " three went down. kubernetes#67250: a broken new pod blocks a set even after"
              + " its template is right again.");

  private UpdatedMembers() {}

  static Optional<Objection> updatedMembersServe(
      Snapshot snapshot, Component component, Pod target) {
    // Where the target is the cure, others may be unwell for want of it; a broken one still counts,
    // and so does one that has just begun, if that may be what the target is waiting for.
    boolean repair = GroupRules.repairs(snapshot, component, target);
    boolean mayRecover = GroupRules.onlyHangs(snapshot, component, target);
    Instant begun = snapshot.at().minus(component.spec().rollout().readyTimeout());
    // Of several that are to be tried again, none speaks against another: else none ever would.
    var course = new Course(snapshot, component);
    boolean again = course.isTriedAgain(target);
    // Going back, who is where it always was proves nothing, and may be unwell for want of this
    // one.
    boolean lost = course.sentBack() && GroupRules.nothingToLose(snapshot, component, target);
    var found = new ArrayList<Objection>();
    for (Pod pod : course.arrived()) {
      boolean counts =
          !pod.uid().equals(target.uid())
              && (!repair || pod.stuck() || (mayRecover && pod.created().isAfter(begun)))
              && (!again || !course.isTriedAgain(pod))
              && (!lost || pod.stuck() || GroupRules.neverGood(snapshot, component, pod));
      if (counts) {
        serving(snapshot, component, pod).ifPresent(found::add);
      }
    }
    // Of a batch, one that is only starting must not hide one that has failed.
    return Among.first(found, o -> o.weight() == FAILURE)
        .or(() -> Among.first(found, _ -> found.size() > PodRules.slack(component)));
  }

  /** Before a controller is let loose on the rest, none of those that went ahead has failed. */
  static Optional<Objection> noneHasFailed(Snapshot snapshot, Component component) {
    var course = new Course(snapshot, component);
    return course.arrived().stream()
        .filter(p -> !course.isTriedAgain(p))
        .flatMap(p -> serving(snapshot, component, p).stream())
        .filter(o -> o.weight() == FAILURE)
        .findFirst();
  }

  /** The first of those that went ahead and are stuck, unless it is to be made anew. */
  static Optional<Objection> stuck(Snapshot snapshot, Component component) {
    var course = new Course(snapshot, component);
    return course.arrived().stream()
        .filter(p -> p.stuck() && !p.terminating() && !course.isTriedAgain(p))
        .flatMap(p -> serving(snapshot, component, p).stream())
        .findFirst();
  }

  /** What keeps an updated pod from counting as done; the finish of a roll-out asks this too. */
  static Optional<Objection> serving(Snapshot snapshot, Component component, Pod pod) {
    // One that is going says nothing about its revision any more: its successor will.
    if (pod.terminating()) {
      return Optional.of(
          UPDATED_MEMBERS_SERVE.objection(
              pod.name(), "is terminating", "wait for its successor", PROGRESS));
    }
    if (pod.trouble().isPresent()) {
      Pod.Trouble trouble = pod.trouble().get();
      return failed(snapshot, component, pod, trouble.reason() + ": " + trouble.message());
    }
    ComponentMemory memory = snapshot.memory().component(component.name());
    String state = pod.ready() ? GroupRules.memberTrouble(component, pod) : "is not ready";
    if (!state.isEmpty()) {
      Duration limit = component.spec().rollout().readyTimeout();
      boolean late = begun(memory, pod).plus(limit).isBefore(snapshot.at());
      // One that has served before is not broken by its revision: it is waited for.
      if (late && !memory.served().contains(pod.uid())) {
        String reason = pod.ready() ? "MemberUnhealthy: " : "ReadyTimeout: ";
        return failed(snapshot, component, pod, reason + state + " within " + words(limit));
      }
      return Optional.of(
          UPDATED_MEMBERS_SERVE.objection(
              pod.name(), state, "wait for it", late ? WAIT : PROGRESS));
    }
    Duration soak = component.spec().rollout().soak();
    Instant since = memory.servingSince().get(pod.uid());
    boolean soaked =
        soak.isZero()
            || untouched(memory, pod)
            || (since != null && !since.plus(soak).isAfter(snapshot.at()));
    return soaked
        ? Optional.empty()
        : Optional.of(
            UPDATED_MEMBERS_SERVE.objection(
                pod.name(), "is in its soak of " + words(soak), "wait for it", PROGRESS));
  }

  /** Ready, and its member is healthy. */
  static boolean isUp(Component component, Pod pod) {
    return pod.ready() && !pod.terminating() && GroupRules.memberTrouble(component, pod).isEmpty();
  }

  /** When the time began that a pod may take: with its making, or with another try of it. */
  private static Instant begun(ComponentMemory memory, Pod pod) {
    return memory
        .target()
        .filter(t -> t.before().contains(pod.uid()) && t.tried().isAfter(pod.created()))
        .map(Target::tried)
        .orElse(pod.created());
  }

  /** Made well before this roll-out, it has nothing to prove; clocks may differ by a minute. */
  static boolean untouched(ComponentMemory memory, Pod pod) {
    return memory
        .target()
        .filter(t -> pod.created().plusSeconds(60).isBefore(t.since()))
        .filter(_ -> memory.lastGood().filter(g -> g.revision().equals(pod.revision())).isPresent())
        .isPresent();
  }

  private static Optional<Objection> failed(
      Snapshot snapshot, Component component, Pod pod, String reading) {
    String cure =
        new Course(snapshot, component).withdrawing()
            ? "repair it, or try once more with belay rollback, or stop the way back with belay"
                + " abort"
            : "correct or revert the template";
    return Optional.of(UPDATED_MEMBERS_SERVE.objection(pod.name(), reading, cure, FAILURE));
  }

  /** A duration as a person writes it. */
  static String words(Duration duration) {
    return duration.toString().substring(2).toLowerCase(Locale.ROOT);
  }
}
