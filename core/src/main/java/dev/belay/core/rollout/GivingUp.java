package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.HUMAN;

import dev.belay.core.rules.Approval;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision.Hold;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Consent;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.List;

/**
 * What cannot be taken back, however often it is tried: a person may leave it as it is. Nobody else
 * may, and it is tried on until then.
 */
public record GivingUp(
    Snapshot snapshot, String component, String revision, Obligation obligation) {

  /** So many times in vain, each with the tries of its own that the user declared. */
  private static final int TRIES = 6;

  /** After how long what was in vain is tried again all the same. */
  static final Duration AGAIN = Duration.ofSeconds(30);

  private static final String UNDO = "undo/";

  static GivingUp of(Rollout rollout, Obligation obligation) {
    return new GivingUp(
        rollout.snapshot(),
        rollout.component().name(),
        rollout.workload().updateRevision(),
        obligation);
  }

  /** Whether nothing but taking this back was tried lately, and often. */
  boolean isInVain() {
    return snapshot
        .memory()
        .step()
        .filter(s -> s.fence().equals(step().fence()) && s.attempts() >= TRIES)
        .isPresent();
  }

  public boolean isAgreed() {
    return approval().given();
  }

  /** What is tried. */
  Step.Undo step() {
    var fence = new Fence.Request(obligation.object(), obligation.id(), true);
    return new Step.Undo(component, fence, obligation);
  }

  public Step.GiveUp leave() {
    return new Step.GiveUp(
        component, step().fence(), obligation, snapshot.spec().requests().approvedBy());
  }

  /** Until a person agrees to exactly this. */
  public Hold hold(Reason rule, String reading, String cure) {
    var approval = approval();
    String token = approval.token();
    return new Hold(
        List.of(
            rule.objection(
                obligation.object(),
                reading + approval.stale(token),
                cure
                    + "; or do it by hand, or leave it as it is, and say so: belay approve "
                    + snapshot.subject().name()
                    + ", or set spec.requests.approve to "
                    + token,
                HUMAN)),
        token,
        revision);
  }

  /** Sent and sent again, and not answered well. */
  public Hold hold(String answer) {
    return hold(
        Reasons.ACTIONS_SUCCEED,
        obligation.undo() + " is not taken back: " + answer,
        "see that it is answered well; it is sent again every " + AGAIN.toSeconds() + " seconds");
  }

  private Approval approval() {
    return new Approval(snapshot, token(obligation), revision);
  }

  private static String token(Obligation obligation) {
    return UNDO + obligation.object() + "/" + obligation.request();
  }

  /**
   * Whether a consent is to leave something that is not owed any more: said of one time, it must
   * not count for the next.
   */
  public static boolean isOver(Snapshot snapshot, Consent consent) {
    return consent.token().startsWith(UNDO)
        && snapshot.memory().components().values().stream()
            .flatMap(c -> c.obligations().stream())
            .filter(Obligation::open)
            .noneMatch(o -> Approval.means(consent, token(o)));
  }
}
