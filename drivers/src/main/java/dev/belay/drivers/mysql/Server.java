package dev.belay.drivers.mysql;

import java.util.List;
import java.util.Optional;

/**
 * One server by its own account.
 *
 * @param id MySQL's server_uuid, MariaDB's server_id
 * @param startsReadOnly how it would start; empty when what it runs with was set by SQL
 * @param logs whether it writes all it applies to its binary log, as a primary has to
 */
record Server(
    Flavor flavor,
    String version,
    String id,
    boolean readOnly,
    Optional<Boolean> startsReadOnly,
    boolean logs,
    Gtids gtids,
    SemiSync semiSync,
    List<Channel> channels) {

  Server {
    channels = List.copyOf(channels);
  }

  /**
   * Whether a commit waits for replicas.
   *
   * @param words MySQL has two generations of names for the same settings
   * @param primary whether it waits for replicas when it takes writes
   * @param replica whether it is to confirm what it receives
   * @param confirms whether it does, by the replication that runs
   * @param waitFor how many replicas have to confirm
   */
  record SemiSync(
      Words words,
      boolean primary,
      boolean replica,
      boolean confirms,
      int waitFor,
      String timeout) {

    /** How the settings are called; NONE where the server has no semi-synchronous replication. */
    enum Words {
      MASTER("rpl_semi_sync_master_", "rpl_semi_sync_slave_"),
      SOURCE("rpl_semi_sync_source_", "rpl_semi_sync_replica_"),
      NONE("", "");

      final String primary;
      final String replica;

      Words(String primary, String replica) {
        this.primary = primary;
        this.replica = replica;
      }
    }
  }

  /**
   * One source this server replicates from.
   *
   * @param user as whom it replicates
   * @param sourceId the id of the server behind it; empty while it was never reached
   * @param lag in seconds; empty while it cannot be told
   */
  record Channel(
      String host,
      int port,
      String user,
      String sourceId,
      boolean receives,
      boolean applies,
      boolean byGtid,
      Optional<Long> lag,
      String trouble) {

    boolean stopped() {
      return !receives && !applies;
    }
  }

  /** The one source it replicates from; empty for none, and for several, which nobody sorts out. */
  Optional<Channel> channel() {
    return channels.size() == 1 ? Optional.of(channels.getFirst()) : Optional.empty();
  }

  boolean free() {
    return channels.isEmpty();
  }

  /** Receives without confirming: no commit is safer for it. One that does not receive may yet. */
  boolean receivesOnly() {
    return channel().filter(Channel::receives).isPresent() && !semiSync.confirms();
  }

  /** Takes writes, and no other server's: a primary, also one that still remembers its source. */
  boolean open() {
    return !readOnly && channels.stream().allMatch(Channel::stopped) && channels.size() < 2;
  }
}
