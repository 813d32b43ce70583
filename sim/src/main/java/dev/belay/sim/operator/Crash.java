package dev.belay.sim.operator;

/** The operator's process ends here and now. */
final class Crash extends RuntimeException {
  Crash(String where) {
    super(where, null, false, false);
  }
}
