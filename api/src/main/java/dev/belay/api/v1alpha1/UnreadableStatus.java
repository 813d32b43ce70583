package dev.belay.api.v1alpha1;

/** A status that this operator cannot read: edited by hand, or written by a newer operator. */
public final class UnreadableStatus extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private UnreadableStatus(String message) {
    super(message);
  }

  /**
   * A value that Belay does not write.
   *
   * @param field below status, as in {@code step.since}
   * @param problem with the value, as in {@code is not a time}
   */
  static UnreadableStatus edited(String field, String value, String problem) {
    return new UnreadableStatus(
        "status.%s: \"%s\" %s; only Belay writes the status: remove what was edited by hand"
            .formatted(field, value, problem));
  }

  /** A recorded state of a later form: to act on half of it could repeat or forget a step. */
  static UnreadableStatus newer(int version, int known) {
    return new UnreadableStatus(
        "status.stateVersion: %d was written by a newer operator, and this one reads up to %d; "
                .formatted(version, known)
            + "nothing is done. fix: run the operator version that wrote it, or a newer one");
  }
}
