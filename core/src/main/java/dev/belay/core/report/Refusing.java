package dev.belay.core.report;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Aim;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.Versions;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Memory.Run;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.Optional;

/** Which revision of a component is not tried again unasked, from what is decided now. */
record Refusing(Snapshot snapshot, Decision decision, Component component, Workload workload) {

  Optional<Refused> refused() {
    Optional<Refused> known = known();
    return switch (decision) {
      case Decision.Done _ -> Optional.empty();
      case Perform(Step.Heed heed) -> heeded(heed, known);
      case Perform(Step.TurnBack back) ->
          back.component().equals(component.name())
              ? known.map(r -> r.withdraw(true))
              : sentBack(known, back.object() + " failed");
      default -> known.or(this::failure);
    };
  }

  /** One of another revision than the template's is over. */
  private Optional<Refused> known() {
    return workload.observed() ? new Course(snapshot, component).refused() : memory().refused();
  }

  private Optional<Refused> heeded(Step.Heed heed, Optional<Refused> known) {
    String asked =
        "asked for"
            + (snapshot.spec().requests().by().isEmpty()
                ? ""
                : " by " + snapshot.spec().requests().by())
            + " ("
            + heed.token()
            + ")";
    return switch (heed.request()) {
      case RETRY -> Optional.empty();
      case MIGRATION -> known;
      case ROLLBACK -> sentBack(known, asked);
      case ABORT -> refuse(Cause.ABORTED, "", asked).or(() -> known);
    };
  }

  /** An earlier version that is refused here says nothing of the one that is sent back now. */
  private Optional<Refused> sentBack(Optional<Refused> known, String reason) {
    Optional<String> asked = snapshot.spec().wantedVersion(component.spec());
    return known
        .filter(r -> asked.isEmpty() || asked.get().equals(r.version()))
        .or(() -> refuse(Cause.ROLLED_BACK, "", reason))
        .or(() -> known)
        .map(r -> r.withdraw(true));
  }

  private Optional<Refused> failure() {
    return Among.first(
            decision.objections(), o -> o.weight() == Objection.Weight.FAILURE && concerns(o))
        .flatMap(o -> refuse(Cause.FAILED, o.object(), reason(o)));
  }

  /** The typed reason comes first: of a pod, its reading starts with it; else it is the rule. */
  private static String reason(Objection objection) {
    boolean typed = objection.is(Reasons.LEADER_TRANSFER_FAILED);
    return typed ? objection.reason().name() + ": " + objection.reading() : objection.reading();
  }

  private boolean concerns(Objection objection) {
    return objection.object().equals(workload.name())
        || Among.any(component.podList(), p -> p.name().equals(objection.object()));
  }

  /** Only a roll-out that is under way can be refused, also one that was not seen before. */
  private Optional<Refused> refuse(Cause cause, String object, String reason) {
    boolean known =
        memory().target().filter(t -> t.revision().equals(workload.updateRevision())).isPresent();
    boolean outdated =
        Among.any(component.podList(), p -> !p.revision().equals(workload.updateRevision()));
    // One whose turn has not come has not even its template yet.
    Optional<Aim> aim = Aim.of(snapshot, component);
    boolean written = aim.filter(a -> a.differsFrom(workload)).isEmpty();
    Optional<String> wanted = snapshot.spec().wantedVersion(component.spec());
    // A person who sends back what goes on means what is asked for, be it asked for midway.
    Optional<Run> run = snapshot.memory().run();
    boolean midway = decision instanceof Perform(Step.Heed _) && (run.isPresent() || anyRolls());
    boolean awaited =
        !written
            && (component.spec().version().isPresent()
                || midway
                || wanted.equals(run.map(Run::to)));
    // Sent back or aborted is what was asked for; what failed is what is there.
    Optional<String> asked = wanted.filter(_ -> written || awaited || cause != Cause.FAILED);
    return known || outdated || awaited
        ? Optional.of(
            new Refused(
                known || outdated ? workload.updateRevision() : "",
                asked.or(() -> Versions.ofTemplate(workload).asOptional()).orElse(""),
                cause,
                object,
                reason,
                snapshot.at(),
                false))
        : Optional.empty();
  }

  /** Also one that has just begun, of which nothing is written down yet. */
  private boolean anyRolls() {
    return snapshot.components().stream()
        .anyMatch(c -> !new Course(snapshot, c).outdated().isEmpty());
  }

  private ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }
}
