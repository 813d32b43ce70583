package dev.belay.drivers.etcd;

/** The keys of what only this driver understands about a member. */
public final class Readings {

  /** The version the cluster as a whole has agreed on, by this member's account. */
  public static final String CLUSTER_VERSION = "clusterVersion";

  /** The version of the data on disk; etcd reports it from 3.6 on. */
  public static final String STORAGE_VERSION = "storageVersion";

  /** How many raft snapshots the process has saved. */
  public static final String SNAPSHOTS_SAVED = "snapshotsSaved";

  /** When the process started, in seconds since 1970. */
  public static final String PROCESS_START = "processStart";

  /** How many log entries the member has still to apply. */
  public static final String LAG = "lag";

  private Readings() {}
}
