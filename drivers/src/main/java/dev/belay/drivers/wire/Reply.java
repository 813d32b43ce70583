package dev.belay.drivers.wire;

/** What came back from one question to one member. */
public sealed interface Reply<T> {

  record Ok<T>(T value) implements Reply<T> {}

  /** Nobody listens at the address: the only silence that says something. */
  record Refused<T>() implements Reply<T> {}

  /** The member answered with an error of its own; the status is HTTP's. */
  record Rejected<T>(int status, String message) implements Reply<T> {}

  /** Its time was over before it was asked: it has heard nothing of it. */
  record Unsent<T>() implements Reply<T> {}

  /** Late, cut off, malformed, not trusted: nothing can be concluded. */
  record Failed<T>(String why) implements Reply<T> {}

  /** The same trouble, for a question of another kind; never called on an Ok. */
  default <R> Reply<R> trouble() {
    return switch (this) {
      case Ok<T> ok -> throw new IllegalStateException("an answer is no trouble");
      case Refused<T> refused -> new Refused<>();
      case Rejected<T>(int status, String message) -> new Rejected<>(status, message);
      case Unsent<T> unsent -> new Unsent<>();
      case Failed<T>(String why) -> new Failed<>(why);
    };
  }

  /** Why there is no answer, in words; empty for an Ok. */
  default String why() {
    return switch (this) {
      case Ok<T> ok -> "";
      case Refused<T> refused -> "refuses connections";
      case Rejected<T>(int status, String message) ->
          "answers " + status + (message.isEmpty() ? "" : ": " + message);
      case Unsent<T> unsent -> "was not asked: the time for it was over";
      case Failed<T>(String why) -> why;
    };
  }
}
