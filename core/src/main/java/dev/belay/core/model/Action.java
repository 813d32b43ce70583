package dev.belay.core.model;

import java.util.List;

/**
 * Something a user wants done around an upgrade, over HTTP. It may be sent more than once: who was
 * killed before the answer came sends it again.
 *
 * @param what the request in words, such as {@code PUT :8080/drain}; names it in the status
 * @param undo what takes it back, in words; empty when nothing does
 * @param versions the versions it is for, {@code 0.12.x} being a prefix; empty: all
 */
public record Action(Moment moment, Check.On on, String what, String undo, List<String> versions) {

  /** When it is done. */
  public enum Moment {
    BEFORE_UPGRADE,
    BEFORE_COMPONENT,
    BEFORE_MEMBER,
    AFTER_MEMBER,
    AFTER_COMPONENT,
    AFTER_UPGRADE
  }

  /** How far the sending is. */
  public enum State {
    SENDING,
    PASSED,
    FAILED
  }

  /**
   * What became of a request that was sent beside the loop.
   *
   * @param id of the obligation it was sent for
   * @param undo whether it was the one that takes it back
   */
  public record Result(String id, boolean undo, State state, String reading) {}

  public Action {
    versions = List.copyOf(versions);
  }

  public boolean undoable() {
    return !undo.isEmpty();
  }
}
