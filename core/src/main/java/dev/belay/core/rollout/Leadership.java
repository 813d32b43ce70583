package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.FAILURE;
import static dev.belay.core.state.Objection.Weight.PROGRESS;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Component;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.GroupRules;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Objection;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.RecordedStep.Kind;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Moving leadership off a member that is to be touched, with bounded patience. */
record Leadership(Rollout rollout) {

  /** How long a transfer may take to show before it is tried again. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  static final int TRIES = 3;

  /** Whether all that keeps a member from being touched is that it leads. */
  boolean isAllThatHolds(List<Objection> objections) {
    return objections.size() == 1
        && objections.getFirst().is(GroupRules.LEADER_MOVES_FIRST)
        && rollout
            .component()
            .topology()
            .asOptional()
            .flatMap(t -> t.leader().asOptional())
            .isPresent();
  }

  Decision moveOff(Pod target) {
    Component component = rollout.component();
    Snapshot snapshot = rollout.snapshot();
    Topology topology = component.topology().asOptional().orElseThrow();
    Topology.Leader leader = topology.leader().asOptional().orElseThrow();
    Course course = rollout.course();
    Optional<RecordedStep> last =
        snapshot
            .memory()
            .step()
            .filter(s -> s.is(Kind.TRANSFER_LEADER) && s.object().equals(target.name()))
            // What was tried in another roll-out, or before this one is written down, is not of it.
            .filter(_ -> course.known())
            .filter(
                s -> course.memory().target().filter(t -> t.since().isAfter(s.since())).isEmpty());
    boolean lastTry = last.filter(s -> s.attempts() >= TRIES).isPresent();
    boolean waits = last.filter(s -> !settledSince(s) || (lastTry && mayStillCome(s))).isPresent();
    if (lastTry && !waits) {
      return Decision.because(
          List.of(
              Reasons.LEADER_TRANSFER_FAILED.objection(
                  target.name(),
                  "it still leads after " + TRIES + " transfers",
                  "find out why leadership stays or comes back; then ask for another try: belay"
                      + " retry "
                      + snapshot.subject().name(),
                  FAILURE)));
    }
    if (waits) {
      return wait(
          target, "it leads, and was asked to hand over", "wait for the new leader", PROGRESS);
    }
    List<Member> voters =
        topology.members().stream()
            .filter(m -> !m.id().equals(leader.memberId()))
            .filter(m -> m.healthy() && m.role() == Member.Role.FOLLOWER)
            .filter(m -> component.podOf(m).filter(Leadership::stays).isPresent())
            .sorted(rollout.policy().successors(component))
            .toList();
    // On the way back, whoever leads on the new revision would have to hand over again.
    Optional<Member> successor =
        voters.stream()
            .filter(m -> course.withdrawing() && arrived(course, m))
            .findFirst()
            .or(() -> voters.stream().findFirst());
    return successor
        .map(to -> handOver(topology, leader, target, to))
        .orElseGet(() ->
            wait(
                target,
                "it leads, and no healthy voter can take over",
                "bring another voter back",
                WAIT));
  }

  /** In one, or where the system needs several commands for it, the next of those. */
  private Decision handOver(Topology topology, Topology.Leader leader, Pod target, Member to) {
    Member from = topology.member(leader.memberId()).orElseThrow();
    return rollout
        .policy()
        .handOver(rollout.snapshot(), rollout.component(), from, to)
        .map(command -> rollout.tell(command, false))
        .orElseGet(() ->
            new Perform(
                new Step.TransferLeader(
                    rollout.component().name(),
                    Fence.of(leader),
                    from.id(),
                    target.name(),
                    to.id(),
                    to.name())));
  }

  private static Decision wait(Pod target, String reading, String cure, Objection.Weight weight) {
    return new Wait(
        List.of(GroupRules.LEADER_MOVES_FIRST.objection(target.name(), reading, cure, weight)));
  }

  private boolean arrived(Course course, Member member) {
    return rollout.component().podOf(member).filter(course.arrived()::contains).isPresent();
  }

  private boolean settledSince(RecordedStep step) {
    return !rollout.snapshot().at().isBefore(step.since().plus(PATIENCE));
  }

  /** What may still be carried out has not failed yet. */
  private boolean mayStillCome(RecordedStep step) {
    return new RecordedSteps(rollout.snapshot()).alive(step);
  }

  private static boolean stays(Pod pod) {
    return pod.ready() && !pod.terminating() && pod.leaving().is(Optional.empty());
  }
}
