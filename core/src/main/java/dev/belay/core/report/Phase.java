package dev.belay.core.report;

/** Where a StatefulCluster or a component stands, in one word. */
public enum Phase {
  ADOPTING("Adopting"),
  IDLE("Idle"),
  UPGRADING("Upgrading"),
  WAITING("Waiting"),
  HELD("Held"),
  PAUSED("Paused"),
  ROLLING_BACK("RollingBack"),
  FAILED("Failed");

  private final String word;

  Phase(String word) {
    this.word = word;
  }

  @Override
  public String toString() {
    return word;
  }
}
