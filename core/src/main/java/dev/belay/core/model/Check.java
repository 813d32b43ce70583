package dev.belay.core.model;

import java.time.Instant;

/**
 * A question that a user wants answered before or after members move.
 *
 * @param what the question in words, such as {@code GET :8080/ready = 200}; names it in the status
 */
public record Check(Moment moment, On on, String what) {

  /** When the answer counts. */
  public enum Moment {
    BEFORE_UPGRADE,
    BEFORE_COMPONENT,
    BEFORE_MEMBER,
    AFTER_MEMBER,
    AFTER_COMPONENT,
    AFTER_UPGRADE
  }

  /** Who is asked: the member in question, every member, or the service in front of them. */
  public enum On {
    TARGET,
    EACH,
    SERVICE
  }

  /** Where the asking stands. */
  public enum State {
    PASSED,
    /** It did not pass, and has tries left. */
    TRYING,
    FAILED
  }

  /**
   * The last answer of one object: asked beside the loop, never inside a decision. What is too old
   * to count is not handed over at all.
   *
   * @param uid of the pod that was asked; empty for the service
   * @param at when it was asked
   */
  public record Result(Check check, String uid, State state, String reading, Instant at) {}
}
