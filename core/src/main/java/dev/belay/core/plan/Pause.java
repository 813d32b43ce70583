package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.HUMAN;

import dev.belay.core.plan.Decision.Hold;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Workload;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Who paused a Deployment. The guard does with a new template, Belay to stop it, and a person may
 * too; the field says nothing of who. So it is noted at which template and generation it was last
 * seen running free: paused since then, without Belay and without another template, it was a
 * person, and what a person stopped goes on when a person says so.
 */
public record Pause(Snapshot snapshot, Component component) {

  private static final String KEY = "pause";
  private static final String FREE = "free";
  private static final String BY_HAND = "by-hand";

  /** The generation at which it was first seen paused by a person; empty when it is not. */
  Optional<String> byHand() {
    Optional<Workload> paused = deployment().filter(Workload::frozen);
    String[] note = noted().split(" ", -1);
    return switch (note[0]) {
      case BY_HAND -> paused.map(_ -> note[1]);
      case FREE ->
          paused
              .filter(w -> w.updateRevision().equals(note[1]))
              .filter(w -> isRolling() || isOneChange(w, note[2]))
              .map(w -> String.valueOf(w.generation()));
      default -> Optional.empty();
    };
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
            Precondition.PAUSED_BY_HAND.objection(
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

  /** These notes, and what is seen of the pause now. */
  public Map<String, String> with(Map<String, String> notes, Decision decision) {
    var all = new TreeMap<>(notes);
    all.remove(KEY);
    deployment()
        .ifPresent(w -> {
          if (w.frozen()) {
            byHand().ifPresent(generation -> all.put(KEY, BY_HAND + " " + generation));
          } else if (!pauses(decision)) {
            all.put(KEY, FREE + " " + w.updateRevision() + " " + w.generation());
          }
        });
    return all;
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
  private static boolean isOneChange(Workload workload, String generation) {
    return generation.equals(String.valueOf(workload.generation() - 1));
  }

  private String noted() {
    return snapshot.memory().component(component.name()).notes().getOrDefault(KEY, "");
  }

  private Optional<Workload> deployment() {
    return component.workload().asOptional().filter(w -> w.kind() == Workload.Kind.DEPLOYMENT);
  }
}
