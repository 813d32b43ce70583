package dev.belay.demo;

/** What went wrong, why, and what cures it. */
public final class DemoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String why;
  private final String cure;

  public DemoException(String what, String why, String cure) {
    super(what);
    this.why = why;
    this.cure = cure;
  }

  /** Three lines for people. */
  public String text() {
    return "error: %s%n  why:  %s%n  cure: %s".formatted(getMessage(), why, cure);
  }
}
