package dev.belay.drivers.pd;

/** The keys of what only this driver understands about a member. */
public final class Readings {

  /** How much the member is wanted as leader: PD moves leadership to a higher one by itself. */
  public static final String LEADER_PRIORITY = "leaderPriority";

  /** How many log entries the member's etcd has still to apply. */
  public static final String LAG = "lag";

  private Readings() {}
}
