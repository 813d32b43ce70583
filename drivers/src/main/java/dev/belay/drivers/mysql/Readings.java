package dev.belay.drivers.mysql;

import dev.belay.core.state.Command;

/** The keys of what only this driver understands about a member. */
public final class Readings {

  /** Whether the server takes writes: "true" when it does not. */
  public static final String READ_ONLY = "readOnly";

  /** "read-only" or "writable": how the server would start. */
  public static final String STARTS = "starts";

  /** The member it replicates from by name; empty when it replicates from nobody. */
  public static final String SOURCE = "source";

  /** The name and port at which it reaches its source, as in mysql-0.mysql:3306. */
  public static final String SOURCE_ADDRESS = "sourceAddress";

  /** Whether replication runs: "true" while it receives or applies. */
  public static final String RUNS = "runs";

  /** How many seconds it is behind. */
  public static final String LAG = "lag";

  /** Which transactions it has. */
  public static final String POSITION = "position";

  /** Whether it could be a primary: its binary log has all it applies. */
  public static final String LOGS = "logs";

  /** MARIADB or MYSQL. */
  public static final String FLAVOR = "flavor";

  /** Who is what, in the whole cluster: the fence of every command. */
  public static final String ROLES = Command.TERM;

  private Readings() {}
}
