package dev.belay.governor.jdbc;

import dev.belay.governor.Refusal;
import dev.belay.governor.jdbc.Lease.Fenced;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A connection to one database: every statement on it runs in the session that holds the lock. */
final class Session implements AutoCloseable {

  private static final Duration GONE_WITHIN = Duration.ofSeconds(15);

  /** A server notices a moment late that a session was closed, and frees its lock only then. */
  private static final Duration NOTICED_WITHIN = Duration.ofSeconds(2);

  private final Target target;
  private final String owner;
  private final Dialect dialect;
  private final Connection connection;
  private final String schema;
  private @Nullable Connection lockConnection;
  private long epoch = -1;

  private Session(Target target, String owner, Dialect dialect, Connection connection)
      throws SQLException {
    this.target = target;
    this.owner = owner;
    this.dialect = dialect;
    this.connection = connection;
    this.schema = dialect.schema(connection);
  }

  static Session open(Target target, String owner) throws SQLException {
    Dialect dialect = Dialect.of(target);
    Connection c = connect(target, dialect, owner);
    try {
      return new Session(target, owner, dialect, c);
    } catch (SQLException | RuntimeException e) {
      c.close();
      throw e;
    }
  }

  private static Connection connect(Target target, Dialect dialect, String owner)
      throws SQLException {
    Properties p = dialect.properties(owner);
    if (!target.user().isEmpty()) {
      p.setProperty("user", target.user());
    }
    target.password().ifPresent(word -> p.setProperty("password", word));
    return dialect.connect(target, p);
  }

  Target target() {
    return target;
  }

  Dialect dialect() {
    return dialect;
  }

  Connection connection() {
    return connection;
  }

  String schema() {
    return schema;
  }

  String table(String name) {
    return schema + "belay_governor_" + name;
  }

  String bareSchema() throws SQLException {
    @Nullable String name =
        dialect instanceof MariaDbDialect ? connection.getCatalog() : connection.getSchema();
    return name == null ? "" : name;
  }

  String place() throws SQLException {
    return connection.getCatalog() + "/" + schema;
  }

  long epoch() {
    return epoch;
  }

  /** Takes the lock, from a holder that has said nothing for longer than the lease if need be. */
  Optional<String> lock(Duration lease) throws SQLException {
    Connection c = connection;
    if (dialect.lockApart()) {
      c = connect(target, dialect, owner);
      lockConnection = c;
    }
    if (locks(c, NOTICED_WITHIN)) {
      return Optional.empty();
    }
    Optional<Dialect.Holder> holder = dialect.holder(connection, schema);
    if (holder.isEmpty()) {
      return dialect.tryLock(c, schema)
          ? Optional.empty()
          : Optional.of("another governor holds the lock of " + target.name());
    }
    Dialect.Holder h = holder.get();
    if (!h.silentFor(lease)) {
      return Optional.of(
          "another governor holds the lock of "
              + target.name()
              + ": "
              + h.who()
              + switch (h.activity()) {
                case WORKS -> ", working";
                case IDLE -> ", idle for " + h.idle().toSeconds() + " s";
                case HIDDEN -> ", of which this user cannot see whether it works";
              });
    }
    dialect.end(connection, h.session());
    return locks(c, GONE_WITHIN)
        ? Optional.empty()
        : Optional.of("session " + h.session() + " was told to end and is still there");
  }

  private boolean locks(Connection c, Duration patience) throws SQLException {
    long end = System.nanoTime() + patience.toNanos();
    while (!dialect.tryLock(c, schema)) {
      if (System.nanoTime() > end) {
        return false;
      }
      pause();
    }
    return true;
  }

  static void pause() throws SQLException {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted", e);
    }
  }

  /** Step zero. The lock keeps two governors from doing it at once. */
  Lease create(String cluster) throws SQLException {
    return Sql.inTransaction(
        connection,
        () -> {
          for (String sql : dialect.tables(schema)) {
            Sql.run(connection, sql);
          }
          Lease lease =
              new Lease(Lease.LAYOUT, cluster, UUID.randomUUID().toString(), place(), 0, owner);
          Sql.update(
              connection,
              "INSERT INTO "
                  + table("lease")
                  + " (id, layout, cluster_id, member, place, epoch, owner)"
                  + " VALUES (1, ?, ?, ?, ?, ?, ?)",
              lease.layout(),
              lease.cluster(),
              lease.member(),
              lease.place(),
              lease.epoch(),
              lease.owner());
          return lease;
        });
  }

  void check(Lease lease) throws SQLException {
    if (lease.layout() > Lease.LAYOUT) {
      throw new Refusal(
          target.name()
              + " was set up by a newer governor (layout "
              + lease.layout()
              + ", known is "
              + Lease.LAYOUT
              + "); use that version or a newer one");
    }
    if (!lease.place().equals(place())) {
      throw new Refusal(
          target.name()
              + " was set up as "
              + lease.place()
              + " and is seen as "
              + place()
              + "; check URL and search_path, or correct belay_governor_lease.place if it was"
              + " renamed on purpose");
    }
  }

  /** From now on writes of older governors are refused at home. */
  void rule(long newEpoch) throws SQLException {
    raise(newEpoch, "epoch < ?");
  }

  /** The same at another master, which may know this epoch from an earlier connection. */
  void follow(long homeEpoch) throws SQLException {
    raise(homeEpoch, "epoch <= ?");
  }

  private void raise(long newEpoch, String condition) throws SQLException {
    int n =
        Sql.update(
            connection,
            "UPDATE " + table("lease") + " SET epoch = ?, owner = ? WHERE id = 1 AND " + condition,
            newEpoch,
            owner,
            newEpoch);
    if (n == 0) {
      throw new Fenced("a newer governor than epoch " + newEpoch + " rules " + target.name());
    }
    epoch = newEpoch;
  }

  /** First statement of every write transaction of a governor. */
  void fence(boolean hold) throws SQLException {
    long now =
        Sql.query(
                connection,
                "SELECT epoch FROM "
                    + table("lease")
                    + " WHERE id = 1"
                    + (hold ? dialect.holdRow() : ""),
                r -> r.getLong(1))
            .orElse(-1L);
    if (now != epoch) {
      throw new Fenced("epoch " + now + " has replaced epoch " + epoch + " on " + target.name());
    }
  }

  /** Whether an exception means that nobody can say what happened. */
  boolean lost() {
    try {
      return connection.isClosed() || !connection.isValid(3);
    } catch (SQLException e) {
      return true;
    }
  }

  String explain(SQLException e) {
    @Nullable String message = e.getMessage();
    String text = message == null ? e.getClass().getSimpleName() : message.strip();
    return target.scrub(text);
  }

  @Override
  public void close() {
    for (@Nullable Connection c : new @Nullable Connection[] {connection, lockConnection}) {
      try {
        if (c != null) {
          c.close();
        }
      } catch (SQLException e) {
        // The database ends what the other side has left.
      }
    }
  }
}
