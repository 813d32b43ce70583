package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.HUMAN;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Decision.Hold;
import dev.belay.core.state.Memory.Consent;
import dev.belay.core.state.Snapshot;
import java.util.List;
import java.util.Optional;

/**
 * A person's word on one thing in one roll-out. It counts if it was written after it was asked for:
 * what stood in the spec before was said about something else.
 *
 * @param what in the words of {@code status.waitingFor}: target, component, step
 * @param revision that the roll-out leads to
 */
public record Approval(Snapshot snapshot, String what, String revision) {

  /** The approval of a step of the roll-out under way. */
  public static Approval of(
      Snapshot snapshot, Component component, Workload workload, String step) {
    String version = Versions.ofTemplate(workload).asOptional().orElse(workload.updateRevision());
    return new Approval(
        snapshot, version + "/" + component.name() + "/" + step, workload.updateRevision());
  }

  /** Between what is asked and the piece of the revision that tells it from an earlier time. */
  private static final String AGAIN = "@";

  private static final int PIECE = 4;

  public boolean given() {
    return Among.any(snapshot.memory().handled().agreed(), this::isThis)
        || answered(snapshot).filter(this::isThis).isPresent();
  }

  /** What was asked for and stands in the spec now. */
  public static Optional<Consent> answered(Snapshot snapshot) {
    return snapshot
        .memory()
        .handled()
        .asked()
        .filter(a -> snapshot.spec().requests().approve().filter(a.token()::equals).isPresent());
  }

  public Hold hold(String object, String reading, String first) {
    String token = token();
    String cure =
        first
            + "belay approve "
            + snapshot.subject().name()
            + ", or set spec.requests.approve to "
            + token;
    return new Hold(
        List.of(Reasons.APPROVED.objection(object, reading + stale(token), cure, HUMAN)),
        token,
        revision);
  }

  /** What to write: never what is written already. */
  public String token() {
    return snapshot
        .memory()
        .handled()
        .asked()
        .filter(this::isThis)
        .map(Consent::token)
        .orElseGet(() -> isThere(what) ? what + AGAIN + piece() : what);
  }

  /** That what is written has no effect; of what counted a moment ago nothing is said. */
  public String stale(String token) {
    if (isThere(what)) {
      return "; the approval " + what + " was there before this was asked, and counts no more";
    }
    return snapshot
        .spec()
        .requests()
        .approve()
        .filter(there -> !there.equals(snapshot.memory().handled().approve()))
        .filter(there -> !there.equals(token))
        .map(there -> "; the approval " + there + " is for something else")
        .orElse("");
  }

  private boolean isThere(String token) {
    return snapshot.spec().requests().approve().filter(token::equals).isPresent();
  }

  private boolean isThis(Consent consent) {
    return consent.revision().equals(revision) && means(consent, what);
  }

  /** Whether it is about this, be it asked for once more. */
  public static boolean means(Consent consent, String what) {
    return consent.token().equals(what) || consent.token().startsWith(what + AGAIN);
  }

  /** The names of revisions end with what tells one from another. */
  private String piece() {
    return revision.substring(Math.max(0, revision.length() - PIECE));
  }
}
