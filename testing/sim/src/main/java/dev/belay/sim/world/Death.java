package dev.belay.sim.world;

/** The operator's process ends here and now. */
public final class Death extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public Death(String where) {
    super(where, null, false, false);
  }
}
