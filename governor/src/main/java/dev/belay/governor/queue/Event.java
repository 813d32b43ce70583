package dev.belay.governor.queue;

/** What became of an effect. */
public sealed interface Event {

  /** The answer to a look. */
  record Saw(Sight sight) implements Event {}

  /** It took place. */
  record Done() implements Event {}

  /**
   * It certainly did not take place.
   *
   * @param busy because a lock was held by somebody else, so that trying again may help
   */
  record Refused(String error, boolean busy) implements Event {}

  /** Nobody can say: the connection went away before the answer came. */
  record Unclear(String why) implements Event {}

  /** A statement in doubt was looked for. */
  record Verified(boolean applied) implements Event {}

  /** A statement in doubt cannot be looked for by a program. */
  record NotVerifiable(String why) implements Event {}

  /** A newer governor holds the queue. */
  record Outranked(String by) implements Event {}

  /** It is time to look again. */
  record Tick() implements Event {}
}
