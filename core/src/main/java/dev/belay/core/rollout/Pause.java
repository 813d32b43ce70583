package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.HUMAN;

import dev.belay.core.model.Component;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Approval;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Hold;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Optional;

/**
 * Who paused a Deployment. The guard does with a new template, Belay to stop it, and a person may
 * too; the field says nothing of who. So it is noted at which template and generation it was last
 * seen running free: paused since then, without Belay and without another template, it was a
 * person, and what a person stopped goes on when a person says so.
 */
public record Pause(Snapshot snapshot, Component component) {

  /** The generation at which it was first seen paused by a person; empty when it is not. */
  Optional<Long> byHand() {
    Optional<Workload> paused = deployment().filter(Workload::frozen);
    return noted()
        .flatMap(noted ->
            switch (noted) {
              case Memory.Pause.ByPerson person -> paused.map(_ -> person.generation());
              case Memory.Pause.Free free ->
                  paused
                      .filter(w -> w.updateRevision().equals(free.revision()))
                      .filter(w -> isRolling() || isOneChange(w, free.generation()))
                      .map(Workload::generation);
            });
  }

  /** Holds what a person paused until a person agrees that it goes on. */
  Optional<Decision> held() {
    return byHand()
        .map(generation ->
            new Approval(
                snapshot,
                generation + "/" + component.name() + "/resume",
                deployment().map(Workload::updateRevision).orElse("")))
        .filter(approval -> !approval.given())
        .map(this::hold);
  }

  private Hold hold(Approval approval) {
    String token = approval.token();
    return new Hold(
        List.of(
            Reasons.PAUSED_BY_HAND.objection(
                component.spec().workload(),
                "somebody else set spec.paused of the Deployment" + approval.stale(token),
                "stop whatever sets it, then let Belay go on: belay approve "
                    + snapshot.subject().name()
                    + ", or set spec.requests.approve to "
                    + token,
                HUMAN)),
        token,
        approval.revision());
  }

  /** What is noted after this decision. */
  public Optional<Memory.Pause> after(Decision decision) {
    return deployment()
        .flatMap(w -> {
          if (w.frozen()) {
            return byHand().map(Memory.Pause.ByPerson::new);
          }
          return pauses(decision)
              ? Optional.empty()
              : Optional.of(new Memory.Pause.Free(w.updateRevision(), w.generation()));
        });
  }

  private boolean pauses(Decision decision) {
    return decision instanceof Perform(Step step)
        && step.component().equals(component.name())
        && switch (step) {
          case Step.SetTemplate _ -> true;
          case Step.PartitionWrite write -> write.partition() == Workload.FROZEN;
          default -> false;
        };
  }

  private boolean isRolling() {
    return !new Course(snapshot, component).outdated().isEmpty();
  }

  /** More than one may be another template and back: that was the guard. */
  private static boolean isOneChange(Workload workload, long generation) {
    return generation == workload.generation() - 1;
  }

  private Optional<Memory.Pause> noted() {
    return snapshot.memory().component(component.name()).observed().pause();
  }

  private Optional<Workload> deployment() {
    return component.workload().asOptional().filter(w -> w.kind() == Workload.Kind.DEPLOYMENT);
  }
}
