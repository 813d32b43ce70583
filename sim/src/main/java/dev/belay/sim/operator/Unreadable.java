package dev.belay.sim.operator;

/** Not even the StatefulCluster can be read: there is nothing to decide on. */
final class Unreadable extends RuntimeException {
  Unreadable(String why) {
    super(why, null, false, false);
  }
}
