package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.HUMAN;
import static dev.belay.core.plan.Objection.Weight.PROGRESS;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.plan.Decision.Done;
import dev.belay.core.plan.Decision.Hold;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Decision.Wait;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.core.snapshot.Memory.Cause;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Memory.Fence;
import dev.belay.core.snapshot.Memory.Target;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Topology;
import dev.belay.core.snapshot.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Strategy Partition on one component: from frozen to rest, highest ordinal first. */
record Rollout(
    Snapshot snapshot,
    Component component,
    Workload workload,
    SystemPolicy policy,
    List<Rule> rules) {

  /** How long the controller may take to act on a release before it counts as latent. */
  static final Duration LATENCY = Duration.ofSeconds(2);

  Course course() {
    return new Course(snapshot, component);
  }

  /** Write the template for a version, if nobody else writes it and the path is legal. */
  Decision setTemplate(String version, Map<String, String> images) {
    boolean written =
        memory()
            .written()
            .filter(w -> w.version().equals(version) && w.images().equals(images))
            .isPresent();
    var step = new Step.SetTemplate(component.name(), fence(workload), version, images);
    if (written) {
      return Decision.because(
          List.of(
              Precondition.TEMPLATE_OWNED_ELSEWHERE.objection(
                  workload.name(),
                  "somebody changed the images Belay wrote for "
                      + version
                      + " to "
                      + workload.images(),
                  "use trigger: Template where another tool writes the template, or stop that tool"
                      + " and ask for another version",
                  HUMAN)));
    }
    List<Objection> objections = objections(step);
    return objections.isEmpty() ? new Perform(step) : Decision.because(objections);
  }

  /** Let the next member through, or say why not. */
  Decision roll() {
    List<Pod> outdated = course().outdated();
    Pod target = outdated.getFirst();
    int index = workload.index(target.ordinal());
    List<Pod> released =
        outdated.stream().filter(p -> workload.index(p.ordinal()) >= workload.partition()).toList();
    if (released.size() > 1 || (!released.isEmpty() && !course().known())) {
      return new Perform(
          new Step.Freeze(
              component.name(),
              fence(workload),
              released.size() + " members were released at once, past the guard"));
    }
    Optional<Decision> again = tryAgain();
    if (again.isPresent()) {
      return again.get();
    }
    var release = new Step.Release(component.name(), fence(workload), index, target.name());
    List<Objection> objections = objections(release);
    if (!released.isEmpty()) {
      return awaitReplacement(target, index, objections);
    }
    if (aborted()) {
      return new Perform(new Step.Freeze(component.name(), fence(workload), "it was aborted"));
    }
    if (objections.isEmpty()) {
      return closing(target).orElseGet(() -> new Perform(release));
    }
    var leadership = new Leadership(snapshot, component, policy);
    if (leadership.isAllThatHolds(objections)) {
      return approval(Spec.Approval.BEFORE_LEADER, target, "leader", "leadership moves off it")
          .orElseGet(() -> leadership.moveOff(target));
    }
    return new BrokenBelow(this).instead(outdated, objections);
  }

  /** Asked for another try, a member that is stuck since before that is made anew. */
  private Optional<Decision> tryAgain() {
    Instant tried = memory().target().map(Target::tried).orElse(Instant.MIN);
    Instant since = memory().target().map(Target::since).orElse(Instant.MIN);
    return course().arrived().stream()
        .filter(p -> tried.isAfter(since) && p.stuck() && p.created().isBefore(tried))
        .filter(this::nobodyAboveIsOutdated)
        .findFirst()
        .map(p -> {
          // Below the partition it would come back on the old revision.
          int index = workload.index(p.ordinal());
          Step step =
              index < workload.partition()
                  ? new Step.Release(component.name(), fence(workload), index, p.name())
                  : recreate(p, "tried again");
          List<Objection> objections = objections(step);
          return objections.isEmpty() ? new Perform(step) : Decision.because(objections);
        });
  }

  private boolean nobodyAboveIsOutdated(Pod pod) {
    return course().outdated().stream().noneMatch(p -> p.ordinal() > pod.ordinal());
  }

  /** A roll-out that was aborted is frozen: what is updated stays, nobody else follows. */
  private boolean aborted() {
    return workload.partition() != Workload.FROZEN
        && course().refused().filter(r -> r.cause() == Cause.ABORTED).isPresent();
  }

  private Optional<Decision> closing(Pod target) {
    return new Floor(snapshot, component, policy)
        .closedBy(target)
        .flatMap(why -> approval(Spec.Approval.BEFORE_IRREVERSIBLE, target, "irreversible", why));
  }

  /** Holds until a person agreed to exactly this. */
  private Optional<Decision> approval(Spec.Approval asked, Pod target, String what, String why) {
    String version = Versions.ofTemplate(workload).asOptional().orElse(workload.updateRevision());
    String token = version + "/" + component.name() + "/" + what;
    boolean needed =
        snapshot.spec().upgrade().approval() == asked
            && snapshot.spec().requests().approve().filter(token::equals).isEmpty();
    return needed
        ? Optional.of(
            new Hold(
                List.of(
                    Precondition.APPROVED.objection(
                        target.name(),
                        "the next step needs approval: " + why,
                        "belay approve "
                            + snapshot.subject().name()
                            + ", or set spec.requests.approve to "
                            + token,
                        HUMAN)),
                token))
        : Optional.empty();
  }

  /**
   * A released pod that is still old: replaced soon, taken back, or deleted where nobody else will.
   */
  private Decision awaitReplacement(Pod target, int index, List<Objection> objections) {
    boolean fresh =
        snapshot
            .memory()
            .step()
            .filter(s -> s.object().equals(target.name()))
            .filter(s -> snapshot.at().isBefore(s.since().plus(LATENCY)))
            .isPresent();
    if (target.terminating() || fresh) {
      return new Wait(
          List.of(
              Precondition.RELEASE_TAKES_EFFECT.objection(
                  target.name(),
                  target.terminating() ? "is terminating" : "is released, not yet replaced",
                  "wait for the StatefulSet controller",
                  PROGRESS)));
    }
    if (!objections.isEmpty()) {
      int partition = course().arrived().isEmpty() || aborted() ? Workload.FROZEN : index + 1;
      return new Perform(
          new Step.Retract(component.name(), fence(workload), partition, target.name()));
    }
    // OrderedReady stops at any unready pod, Parallel at an unavailable one above: nobody else
    // will.
    if (!target.ready()) {
      return new Perform(recreate(target, "released, and nobody else replaces it"));
    }
    return new Wait(
        List.of(
            Precondition.RELEASE_TAKES_EFFECT.objection(
                target.name(),
                "is released, but the controller has not replaced it",
                "look at the StatefulSet controller",
                Objection.Weight.WAIT)));
  }

  /** No pod is outdated: done when every member serves and the partition rests. */
  Decision finish() {
    if (memory().target().isPresent()) {
      Optional<Decision> again = tryAgain();
      if (again.isPresent()) {
        return again.get();
      }
      List<Objection> waiting = unfinished();
      if (!waiting.isEmpty()) {
        return Decision.because(waiting);
      }
    }
    return rest();
  }

  /** What is still missing where every pod has the newest revision. */
  List<Objection> unfinished() {
    var waiting = new ArrayList<Objection>();
    PodRules.complete(component, workload, Optional.empty())
        .map(o -> o.withRule(Rules.EVERY_POD_EXISTS.name()))
        .ifPresent(waiting::add);
    for (Pod pod : component.podList()) {
      PodRules.serving(snapshot, component, pod)
          .map(o -> o.withRule(Rules.UPDATED_MEMBERS_SERVE.name()))
          .ifPresent(waiting::add);
    }
    new CheckRules(snapshot, component)
        .afterUpgrade()
        .filter(_ -> !course().withdrawing())
        .map(o -> o.withRule(Rules.CHECKS_PASS.name()))
        .ifPresent(waiting::add);
    return waiting;
  }

  private Decision rest() {
    boolean parked = component.guard().is(Guarding.PARKED);
    int resting = parked ? Workload.FROZEN : 0;
    if (workload.partition() == resting) {
      return new Done();
    }
    if (!workload.currentRevision().equals(workload.updateRevision())) {
      // No pod in sight is outdated, but not all that will be are in sight.
      List<Objection> waiting = unfinished();
      if (!waiting.isEmpty()) {
        return Decision.because(waiting);
      }
      if (workload.replicas() == 0) {
        return new Done();
      }
      // Raised before the controller calls the roll-out complete, a lost pod would come back old.
      if (parked) {
        return new Wait(
            List.of(
                Precondition.WORKLOAD_IS_OBSERVED.objection(
                    workload.name(),
                    "its controller has not yet called the roll-out complete",
                    "wait for the StatefulSet controller",
                    PROGRESS)));
      }
    }
    return new Perform(new Step.Rest(component.name(), fence(workload), resting));
  }

  /**
   * A release that the controller has not seen can strike when it comes back: it is taken back
   * while that can still be done, although nothing else may be decided on such a set.
   */
  Optional<Decision> retractUnseen() {
    String wanted = memory().target().map(Target::revision).orElse("");
    Optional<Pod> released =
        component.podsInRange(workload).stream()
            .filter(p -> workload.index(p.ordinal()) >= workload.partition())
            .filter(p -> !p.revision().equals(wanted) && !p.terminating())
            .findFirst();
    boolean late =
        snapshot
            .memory()
            .step()
            .filter(s -> !snapshot.at().isBefore(s.since().plus(LATENCY)))
            .isPresent();
    if (wanted.isEmpty() || released.isEmpty() || !late) {
      return Optional.empty();
    }
    Pod pod = released.get();
    int index = workload.index(pod.ordinal());
    var release = new Step.Release(component.name(), fence(workload), index, pod.name());
    return objections(release).isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Perform(
                new Step.Retract(component.name(), fence(workload), Workload.FROZEN, pod.name())));
  }

  Step.RecreatePod recreate(Pod pod, String why) {
    return new Step.RecreatePod(component.name(), fence(pod), pod.name(), pod.uid(), why);
  }

  /** Takes back what was released and is still old; past the guard, all of it. */
  Optional<Decision> retractReleased() {
    List<Pod> released =
        component.podsInRange(workload).stream()
            .filter(p -> workload.index(p.ordinal()) >= workload.partition())
            .filter(p -> !p.revision().equals(workload.updateRevision()) && !p.terminating())
            .toList();
    if (released.isEmpty()
        || workload.update() != Workload.Update.ROLLING_UPDATE
        || !workload.observed()) {
      return Optional.empty();
    }
    Pod highest = released.getLast();
    return Optional.of(
        new Perform(
            new Step.Retract(
                component.name(),
                fence(workload),
                workload.index(highest.ordinal()) + 1,
                highest.name())));
  }

  List<Objection> objections(Step step) {
    return Stream.concat(policy.rules().stream(), rules.stream())
        .flatMap(rule -> rule.objection(snapshot, component, step).stream())
        .toList();
  }

  ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }

  static Fence fence(Workload workload) {
    return new Fence(
        workload.kind().toString(),
        workload.name(),
        workload.uid() + "/" + workload.resourceVersion());
  }

  static Fence fence(Pod pod) {
    return new Fence("Pod", pod.name(), pod.uid() + "/" + pod.resourceVersion());
  }

  static Fence fence(Topology.Leader leader) {
    return new Fence("Leader", leader.memberId(), leader.term());
  }
}
