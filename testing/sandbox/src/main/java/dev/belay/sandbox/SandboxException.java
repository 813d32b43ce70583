package dev.belay.sandbox;

/** What keeps a sandbox from working, in words that name the cause and the cure. */
public final class SandboxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SandboxException(String message) {
    super(message);
  }

  public SandboxException(String message, Throwable cause) {
    super(message, cause);
  }
}
