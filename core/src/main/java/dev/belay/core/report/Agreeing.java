package dev.belay.core.report;

import dev.belay.core.model.Among;
import dev.belay.core.model.Workload;
import dev.belay.core.rollout.GivingUp;
import dev.belay.core.rules.Approval;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory.Consent;
import dev.belay.core.state.Memory.Handled;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.core.state.Step.Request;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a person is asked to agree to, and has agreed to, for one roll-out and no other. */
record Agreeing(Snapshot snapshot, Decision decision) {

  /** The approval that counted last. */
  String last() {
    return Approval.answered(snapshot).map(Consent::token).orElse(before().approve());
  }

  /** Kept while something else is in the way for a moment: the answer may come just then. */
  Optional<Consent> asked() {
    if (decision instanceof Decision.Hold hold && !hold.waitingFor().isEmpty()) {
      return Optional.of(new Consent(hold.waitingFor(), hold.revision()));
    }
    boolean answered = Approval.answered(snapshot).isPresent();
    return before().asked().filter(a -> !answered && !over() && isOfThisRollOut(a));
  }

  List<Consent> agreed() {
    Optional<Consent> answered = Approval.answered(snapshot);
    return over() || (before().agreed().isEmpty() && answered.isEmpty())
        ? List.of()
        : Stream.concat(before().agreed().stream(), answered.stream())
            .filter(this::isOfThisRollOut)
            .filter(c -> !GivingUp.isOver(snapshot, c))
            .distinct()
            .toList();
  }

  /** At rest, or sent back: what comes then is asked for anew. */
  private boolean over() {
    boolean sentBack =
        decision instanceof Perform(Step.TurnBack _)
            || (decision instanceof Perform(Step.Heed heed) && heed.request() == Request.ROLLBACK);
    return decision instanceof Decision.Done || sentBack;
  }

  /** Where a workload cannot be seen, its roll-out may still be that one. */
  private boolean isOfThisRollOut(Consent consent) {
    return Among.any(
        snapshot.components(),
        c ->
            c.workload()
                .asOptional()
                .map(Workload::updateRevision)
                .map(consent.revision()::equals)
                .orElse(true));
  }

  private Handled before() {
    return snapshot.memory().handled();
  }
}
