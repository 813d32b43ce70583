package dev.belay.core.report;

import dev.belay.core.model.Action;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Memory.Obligation.Progress;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What was done around the upgrade and what is still to be taken back, from what is seen now. */
record Owing(Snapshot snapshot, Decision decision, Component component) {

  List<Obligation> obligations(boolean rolling) {
    List<Obligation> before = snapshot.memory().component(component.name()).obligations();
    if (before.isEmpty()) {
      return begun().map(List::of).orElse(List.of());
    }
    Stream<Obligation> known =
        before.stream()
            .filter(o -> begun().filter(b -> b.id().equals(o.id())).isEmpty())
            .filter(o -> !isScaledAway(o))
            .flatMap(o -> seen(o).stream())
            .map(this::takingBack)
            .flatMap(o -> left(o).stream())
            .filter(o -> o.open() || (rolling && concernsSomebody(o)));
    return Stream.concat(known, begun().stream()).toList();
  }

  private Optional<Obligation> begun() {
    return decision instanceof Perform(Step.Act act) && act.component().equals(component.name())
        ? Optional.of(act.obligation())
        : Optional.empty();
  }

  /** What a member was told twice, as one pod and as the next, is not told any more either way. */
  private Obligation takingBack(Obligation obligation) {
    boolean now =
        decision instanceof Perform(Step.Undo undo)
            && undo.component().equals(component.name())
            && undo.obligation().sharesUndo(obligation);
    return now && obligation.progress() != Progress.FAILED
        ? obligation.at(Progress.UNDOING)
        : obligation;
  }

  /** A person leaves it as it is: like what is taken back, it is owed no more. */
  private Optional<Obligation> left(Obligation obligation) {
    boolean now =
        decision instanceof Perform(Step.GiveUp gives)
            && gives.component().equals(component.name())
            && gives.obligation().sharesUndo(obligation);
    if (!now) {
      return Optional.of(obligation);
    }
    return obligation.progress() == Progress.FAILED
        ? Optional.of(obligation.settled())
        : Optional.empty();
  }

  /** Of a member that is no longer wanted nothing can be taken back. */
  private boolean isScaledAway(Obligation obligation) {
    return component
        .workload()
        .asOptional()
        .filter(w -> w.kind() == Workload.Kind.STATEFUL_SET && !obligation.uid().isEmpty())
        .filter(w ->
            IntStream.range(0, w.replicas())
                .noneMatch(
                    i -> obligation.object().equals(w.name() + "-" + (w.firstOrdinal() + i))))
        .isPresent();
  }

  /** What became of it; gone when it is taken back. */
  private Optional<Obligation> seen(Obligation obligation) {
    return switch (obligation.progress()) {
      case BEGUN ->
          Optional.of(
              switch (state(obligation, false)) {
                case PASSED -> obligation.at(Progress.DONE);
                case FAILED -> obligation.at(Progress.FAILED);
                case SENDING -> obligation;
              });
      case UNDOING ->
          Optional.of(obligation).filter(_ -> state(obligation, true) != Action.State.PASSED);
      // It stays a failure when it is taken back, until another try is asked for.
      case FAILED ->
          Optional.of(
              state(obligation, true) == Action.State.PASSED ? obligation.settled() : obligation);
      case DONE -> Optional.of(obligation);
    };
  }

  /** Nothing heard is nothing known: as if it were on its way. */
  private Action.State state(Obligation obligation, boolean undo) {
    return component.acts().stream()
        .filter(r -> r.id().equals(obligation.id()) && r.undo() == undo)
        .reduce((_, last) -> last)
        .map(Action.Result::state)
        .orElse(Action.State.SENDING);
  }

  private boolean concernsSomebody(Obligation obligation) {
    return obligation.uid().isEmpty()
        || component.podList().stream().map(Pod::uid).anyMatch(obligation.uid()::equals);
  }
}
