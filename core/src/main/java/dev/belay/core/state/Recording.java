package dev.belay.core.state;

import dev.belay.core.model.Workload;
import dev.belay.core.state.RecordedStep.Kind;
import dev.belay.core.state.RecordedStep.StepData;
import java.util.Map;
import java.util.Optional;

/**
 * Steps as they are written down: what tells one step from another, and what is read of it again
 * later. Words for people are no part of it.
 */
public final class Recording {

  private static final String VERSION = "version";
  private static final String TOKEN = "token";
  private static final String STEP = "step";
  private static final String WORDS = "words";

  private Recording() {}

  /** The data of a step; empty for a step that exists only in the record. */
  public static Optional<StepData> of(Step step) {
    return Optional.ofNullable(
        switch (step) {
          case Step.Freeze s -> data(Kind.FREEZE, s, Map.of());
          case Step.SetTemplate s -> data(Kind.SET_TEMPLATE, s, Map.of(VERSION, s.version()));
          case Step.TransferLeader s ->
              data(Kind.TRANSFER_LEADER, s, Map.of("from", s.from(), "to", s.to()));
          case Step.Release s -> data(Kind.RELEASE, s, Map.of());
          case Step.Retract s -> data(Kind.RETRACT, s, Map.of("pod", s.pod()));
          case Step.RecreatePod s -> data(Kind.RECREATE_POD, s, Map.of());
          case Step.Evict s -> data(Kind.EVICT, s, Map.of());
          case Step.LetRoll s -> data(Kind.LET_ROLL, s, Map.of());
          case Step.Act s -> data(Kind.ACT, s, Map.of());
          case Step.Undo s -> data(Kind.UNDO, s, Map.of());
          case Step.Tell s -> data(Kind.TELL, s, s.command().recorded());
          case Step.Migrate s -> data(Kind.MIGRATE, s, Map.of());
          case Step.Settle s ->
              data(
                  Kind.SETTLE,
                  s,
                  Map.of("verdict", s.request().verdict().name(), TOKEN, s.request().token()));
          case Step.Rest s ->
              data(Kind.REST, s, Map.of("parks", "" + (s.partition() == Workload.FROZEN)));
          case Step.Force s ->
              data(Kind.FORCE, s, Map.of("partition", "" + s.partition(), "by", s.by()));
          case Step.Unforce s -> data(Kind.UNFORCE, s, Map.of());
          case Step.Revoke s -> data(Kind.REVOKE, s, Map.of(STEP, s.stepId(), WORDS, s.revoked()));
          case Step.Recorded _ -> null;
        });
  }

  private static StepData data(Kind kind, Step step, Map<String, String> arguments) {
    return new StepData(kind, step.component(), step.object(), step.fence(), arguments);
  }

  /**
   * Whether a step tries again what was written down. The state of its object may be another one by
   * now, except for an action and its undo: each is counted by itself.
   */
  public static boolean triesAgain(StepData step, StepData recorded) {
    return recorded.is(step.kind())
        && recorded.object().equals(step.object())
        && recorded.argument(Command.VERB).equals(step.argument(Command.VERB))
        && (!(step.fence() instanceof Fence.Request) || recorded.fence().equals(step.fence()));
  }

  /** Whether the recorded step writes the template of this version into this workload. */
  public static boolean setsTemplate(RecordedStep recorded, Workload workload, String version) {
    return recorded.is(Kind.SET_TEMPLATE)
        && recorded.object().equals(workload.name())
        && recorded.step().argument(VERSION).equals(version);
  }

  /** Whether the recorded step tells the database the decision of this token. */
  public static boolean settles(RecordedStep recorded, String token) {
    return recorded.is(Kind.SETTLE) && recorded.step().argument(TOKEN).equals(token);
  }

  /** The id of the step that a recorded one revokes. */
  public static Optional<String> revoked(RecordedStep recorded) {
    return Optional.of(recorded.step()).filter(s -> s.is(Kind.REVOKE)).map(s -> s.argument(STEP));
  }

  /** What makes a recorded step harmless. A revocation that may not have happened is repeated. */
  public static Step.Revoke revocation(RecordedStep recorded, Fence.ObjectVersion fence) {
    StepData step = recorded.step();
    return step.is(Kind.REVOKE)
        ? new Step.Revoke(step.component(), fence, step.argument(STEP), step.argument(WORDS))
        : new Step.Revoke(step.component(), fence, recorded.id(), recorded.what());
  }
}
