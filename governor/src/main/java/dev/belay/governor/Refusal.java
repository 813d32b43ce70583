package dev.belay.governor;

/** Input that is refused before anything is touched; the message names the value and the cure. */
public final class Refusal extends RuntimeException {
  public Refusal(String message) {
    super(message);
  }

  public Refusal(String message, Throwable cause) {
    super(message, cause);
  }
}
