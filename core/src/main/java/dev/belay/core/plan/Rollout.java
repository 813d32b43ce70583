package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.FAILURE;
import static dev.belay.core.plan.Objection.Weight.HUMAN;
import static dev.belay.core.plan.Objection.Weight.PROGRESS;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.plan.Decision.Done;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Decision.Wait;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Memory.Fence;
import dev.belay.core.snapshot.Memory.RecordedStep;
import dev.belay.core.snapshot.Memory.Target;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Topology;
import dev.belay.core.snapshot.Workload;
import java.time.Duration;
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

  /** How long a transfer may take to show before it is tried again. */
  static final Duration TRANSFER_PATIENCE = Duration.ofSeconds(5);

  static final int TRANSFER_TRIES = 3;

  /** The pods that do not carry the newest revision, highest ordinal first. */
  List<Pod> outdated() {
    return component.podsInRange(workload).stream()
        .filter(p -> !p.revision().equals(workload.updateRevision()))
        .toList()
        .reversed();
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
    List<Pod> outdated = outdated();
    Pod target = outdated.getFirst();
    int index = workload.index(target.ordinal());
    List<Pod> released =
        outdated.stream().filter(p -> workload.index(p.ordinal()) >= workload.partition()).toList();
    boolean ours =
        memory().target().filter(t -> t.revision().equals(workload.updateRevision())).isPresent();
    if (released.size() > 1 || (!released.isEmpty() && !ours)) {
      return new Perform(
          new Step.Freeze(
              component.name(),
              fence(workload),
              released.size() + " members were released at once, past the guard"));
    }
    var release = new Step.Release(component.name(), fence(workload), index, target.name());
    List<Objection> objections = objections(release);
    if (!released.isEmpty()) {
      return awaitReplacement(target, index, objections);
    }
    if (objections.isEmpty()) {
      return new Perform(release);
    }
    boolean leads =
        objections.size() == 1
            && objections.getFirst().rule().equals(Rules.LEADER_MOVES_FIRST.name())
            && component
                .topology()
                .asOptional()
                .filter(t -> t.leader().asOptional().isPresent())
                .isPresent();
    return leads ? moveLeader(target) : Decision.because(objections);
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
      int partition = PodRules.updated(component).isEmpty() ? Workload.FROZEN : index + 1;
      return new Perform(
          new Step.Retract(component.name(), fence(workload), partition, target.name()));
    }
    // OrderedReady stops at any unready pod, Parallel at an unavailable one above: nobody else
    // will.
    if (!target.ready()) {
      return new Perform(
          new Step.RecreatePod(component.name(), fence(target), target.name(), target.uid()));
    }
    return new Wait(
        List.of(
            Precondition.RELEASE_TAKES_EFFECT.objection(
                target.name(),
                "is released, but the controller has not replaced it",
                "look at the StatefulSet controller",
                Objection.Weight.WAIT)));
  }

  /** Move leadership off the target to the best successor, with bounded patience. */
  private Decision moveLeader(Pod target) {
    Topology topology = component.topology().asOptional().orElseThrow();
    Topology.Leader leader = topology.leader().asOptional().orElseThrow();
    Fence fence = fence(leader);
    Optional<RecordedStep> last =
        snapshot
            .memory()
            .step()
            .filter(s -> s.fence().kind().equals("Leader") && s.object().equals(target.name()))
            .filter(s -> memory().target().filter(t -> t.since().isAfter(s.since())).isEmpty());
    if (last.filter(s -> s.attempts() >= TRANSFER_TRIES).isPresent() && settledSince(last.get())) {
      return Decision.because(
          List.of(
              Precondition.LEADER_TRANSFER_FAILED.objection(
                  target.name(),
                  "it still leads after " + TRANSFER_TRIES + " transfers",
                  "find out why leadership stays or comes back; move it by hand, or change the"
                      + " template",
                  FAILURE)));
    }
    if (last.isPresent() && !settledSince(last.get())) {
      return new Wait(
          List.of(
              new Objection(
                  Rules.LEADER_MOVES_FIRST.name(),
                  target.name(),
                  "it leads, and was asked to hand over",
                  "wait for the new leader",
                  PROGRESS)));
    }
    Optional<Member> successor =
        topology.members().stream()
            .filter(m -> !m.id().equals(leader.memberId()))
            .filter(m -> m.healthy() && m.role() == Member.Role.FOLLOWER)
            .filter(m -> component.podOf(m).filter(Rollout::stays).isPresent())
            .min(policy.successors(component));
    if (successor.isEmpty()) {
      return new Wait(
          List.of(
              new Objection(
                  Rules.LEADER_MOVES_FIRST.name(),
                  target.name(),
                  "it leads, and no healthy voter can take over",
                  "bring another voter back",
                  Objection.Weight.WAIT)));
    }
    return new Perform(
        new Step.TransferLeader(
            component.name(),
            fence,
            leader.memberId(),
            target.name(),
            successor.get().id(),
            successor.get().name()));
  }

  private boolean settledSince(RecordedStep step) {
    return !snapshot.at().isBefore(step.since().plus(TRANSFER_PATIENCE));
  }

  private static boolean stays(Pod pod) {
    return pod.ready() && !pod.terminating() && pod.leaving().is(Optional.empty());
  }

  /** No pod is outdated: done when every member serves and the partition rests. */
  Decision finish() {
    if (memory().target().isPresent()) {
      List<Objection> waiting = unfinished();
      if (!waiting.isEmpty()) {
        return Decision.because(waiting);
      }
    }
    return rest();
  }

  /** What is still missing where every pod has the newest revision. */
  private List<Objection> unfinished() {
    var waiting = new ArrayList<Objection>();
    PodRules.complete(component, workload, Optional.empty())
        .map(o -> o.withRule(Rules.EVERY_POD_EXISTS.name()))
        .ifPresent(waiting::add);
    for (Pod pod : component.podList()) {
      PodRules.serving(snapshot, component, pod)
          .map(o -> o.withRule(Rules.UPDATED_MEMBERS_SERVE.name()))
          .ifPresent(waiting::add);
    }
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

  private List<Objection> objections(Step step) {
    return Stream.concat(policy.rules().stream(), rules.stream())
        .flatMap(rule -> rule.objection(snapshot, component, step).stream())
        .toList();
  }

  private ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }

  static Fence fence(Workload workload) {
    return new Fence(
        "StatefulSet", workload.name(), workload.uid() + "/" + workload.resourceVersion());
  }

  static Fence fence(Pod pod) {
    return new Fence("Pod", pod.name(), pod.uid() + "/" + pod.resourceVersion());
  }

  static Fence fence(Topology.Leader leader) {
    return new Fence("Leader", leader.memberId(), leader.term());
  }
}
