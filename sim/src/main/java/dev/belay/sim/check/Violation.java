package dev.belay.sim.check;

/** A promise that was broken: which one, and how. */
public final class Violation extends Error {

  private static final long serialVersionUID = 1L;

  private final String promise;

  public Violation(String promise, String how) {
    super(promise + ": " + how);
    this.promise = promise;
  }

  /** The name in DESIGN.md §4: S1 to S16, L1 to L6. */
  public String promise() {
    return promise;
  }
}
