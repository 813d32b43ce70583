package dev.belay.core.plan;

import dev.belay.core.driver.Command;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Decision.Wait;
import dev.belay.core.snapshot.Action;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Memory.Fence;
import dev.belay.core.snapshot.Memory.RecordedStep;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What was written down but may not have happened. An operator that stalled between record and act
 * can still strike while the object is at the state its step was fenced on; so a recorded step is
 * carried out, or revoked by moving that object, before another one is recorded.
 */
record RecordedSteps(Snapshot snapshot) {

  /** How long after its record a leader transfer may still be sent; it has no fence to move. */
  static final Duration TRANSFER_LIFE = Command.LIFE;

  private static final Pattern NUMBER = Pattern.compile("\\d+");

  private static final Pattern REVOCATION = Pattern.compile("revoke (\\S+) \\((.*)\\)");

  Decision settleBefore(Decision next) {
    Optional<RecordedStep> recorded = snapshot.memory().step();
    if (recorded.isEmpty() || !alive(recorded.get()) || isThat(next, recorded.get())) {
      return next;
    }
    RecordedStep step = recorded.get();
    if (!step.fence().kind().equals("StatefulSet")
        && !step.fence().kind().equals("Deployment")
        && !step.fence().kind().equals("Pod")) {
      var settles =
          new Wait(
              List.of(
                  Precondition.RECORDED_STEP_SETTLES.objection(
                      step.object(),
                      "\"" + step.what() + "\" was recorded and may still be carried out",
                      "wait for it",
                      Objection.Weight.PROGRESS)));
      // A failure is written down meanwhile: it may have gone by when the step has settled.
      return settles.also(next.failures());
    }
    return new Perform(revocation(step));
  }

  /**
   * Whether this look shows the object in an older state than the one the step was decided on: then
   * it cannot say whether the step was carried out. Versions of resources are numbers that grow;
   * what is none is not compared.
   */
  boolean outrunTheLook() {
    return snapshot.memory().step().map(RecordedStep::fence).stream()
        .anyMatch(written -> shown(written.kind()).anyMatch(shown -> isOlder(shown, written)));
  }

  /** The objects of a kind in the state in which this look shows them. */
  private Stream<Fence> shown(String kind) {
    return switch (kind) {
      case "StatefulSet", "Deployment" ->
          components().flatMap(c -> c.workload().asOptional().stream()).map(Rollout::fence);
      case "Pod" -> components().flatMap(c -> c.podList().stream()).map(Rollout::fence);
      default -> Stream.empty();
    };
  }

  private static String version(Fence fence) {
    return fence.state().substring(fence.state().indexOf('/') + 1);
  }

  private static boolean isOlder(Fence shown, Fence written) {
    boolean same = shown.kind().equals(written.kind()) && shown.name().equals(written.name());
    return same
        && NUMBER.matcher(version(shown)).matches()
        && NUMBER.matcher(version(written)).matches()
        && new BigInteger(version(shown)).compareTo(new BigInteger(version(written))) < 0;
  }

  /** A revocation that may not have happened is wanted again, not revoked in turn. */
  private Step.Revoke revocation(RecordedStep step) {
    Matcher again = REVOCATION.matcher(step.what());
    return again.matches()
        ? new Step.Revoke(componentOf(step.fence()), step.fence(), again.group(1), again.group(2))
        : new Step.Revoke(componentOf(step.fence()), step.fence(), step.id(), step.what());
  }

  /** Whether {@code next} is the recorded step, wanted again on the same state of the world. */
  static boolean isThat(Decision next, RecordedStep recorded) {
    return next instanceof Perform(Step step)
        && step.what().equals(recorded.what())
        && step.object().equals(recorded.object())
        && step.fence().equals(recorded.fence());
  }

  /** Whether the object still is what the step was decided on, and the step may still be sent. */
  boolean alive(RecordedStep step) {
    Fence fence = step.fence();
    return switch (fence.kind()) {
      case Migrations.FENCE, Step.Settle.FENCE ->
          snapshot.at().isBefore(step.since().plus(TRANSFER_LIFE))
              && new Migrations(snapshot).mayStillBegin(step);
      case "StatefulSet", "Deployment", "Pod" -> shown(fence.kind()).anyMatch(fence::equals);
      case "Leader" -> snapshot.at().isBefore(step.since().plus(TRANSFER_LIFE)) && leads(step);
      case "Action" ->
          snapshot.at().isBefore(step.since().plus(TRANSFER_LIFE))
              && isOwed(fence)
              && unanswered(fence);
      case "System" -> snapshot.at().isBefore(step.since().plus(TRANSFER_LIFE)) && unchanged(step);
      default -> false;
    };
  }

  /**
   * What an action did is recorded with its step and forgotten when its undo was answered: then
   * nothing is on its way.
   */
  private boolean isOwed(Fence fence) {
    return snapshot.memory().components().values().stream()
        .flatMap(c -> c.obligations().stream())
        .anyMatch(o -> fence.state().equals(o.id()) || fence.state().equals(o.id() + "/undo"));
  }

  /** Sent by this process and answered, it cannot come any more. */
  private boolean unanswered(Fence fence) {
    return components()
        .flatMap(c -> c.acts().stream())
        .filter(r -> fence.state().equals(r.id() + (r.undo() ? "/undo" : "")))
        .allMatch(r -> r.state() == Action.State.SENDING);
  }

  /** The driver drops a command whose term is over; where that cannot be seen it may still come. */
  private boolean unchanged(RecordedStep step) {
    Fence fence = step.fence();
    return itsOwn(step)
        .flatMap(c -> c.topology().asOptional().stream())
        .flatMap(t -> t.member(fence.name()).stream())
        .map(m -> m.reading(Command.TERM))
        .noneMatch(term -> term.asOptional().filter(t -> !t.equals(fence.state())).isPresent());
  }

  private boolean leads(RecordedStep step) {
    return itsOwn(step)
        .flatMap(c -> c.topology().asOptional().stream())
        .flatMap(t -> t.leader().asOptional().stream())
        .anyMatch(l -> Rollout.fence(l).equals(step.fence()));
  }

  /**
   * The component that a step was about: members of two systems may have the same id and term. When
   * nobody knows its object any more, it may be any of them.
   */
  private Stream<Component> itsOwn(RecordedStep step) {
    boolean known = components().anyMatch(c -> c.owns(step.object()));
    return components().filter(c -> !known || c.owns(step.object()));
  }

  private String componentOf(Fence fence) {
    return components()
        .filter(c -> owns(c, fence))
        .map(Component::name)
        .findFirst()
        .orElse(snapshot.components().getFirst().name());
  }

  private static boolean owns(Component component, Fence fence) {
    return component.spec().workload().equals(fence.name())
        || component.podList().stream().map(Pod::name).anyMatch(fence.name()::equals);
  }

  private Stream<Component> components() {
    return snapshot.components().stream();
  }
}
