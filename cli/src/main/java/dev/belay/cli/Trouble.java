package dev.belay.cli;

/** Why a verb could not do its work, and what helps. */
final class Trouble extends RuntimeException {

  private final String cure;

  Trouble(String what, String cure) {
    super(what);
    this.cure = cure;
  }

  Trouble(String what, String cure, Throwable cause) {
    super(what, cause);
    this.cure = cure;
  }

  /** Two lines for people. */
  String text() {
    return getMessage() + (cure.isEmpty() ? "" : "\ncure: " + cure);
  }
}
