package dev.belay.sim.check;

/** A promise that was broken: which one, and how. */
public final class Violation extends Error {

  private static final long serialVersionUID = 1L;

  private final String promise;
  private final String how;

  public Violation(String promise, String how) {
    super(promise + ": " + how);
    this.promise = promise;
    this.how = how;
  }

  /** The name in DESIGN.md §4: S1 to S16, L1 to L6. */
  public String promise() {
    return promise;
  }

  /** In one line. */
  public String words() {
    return promise + ": " + how;
  }
}
