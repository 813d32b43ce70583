package dev.belay.sim.operator;

/** Not even the StatefulCluster can be read, or written: this turn comes to nothing. */
final class Unreadable extends RuntimeException {
  Unreadable(String why) {
    super(why, null, false, false);
  }
}
