package dev.belay.governor.jdbc;

import dev.belay.governor.files.Script.Statement;
import dev.belay.governor.queue.Event;
import dev.belay.governor.queue.Operation;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Runs the statements of operations, each in the session that holds the lock. */
final class Applying {

  private final Masters masters;
  private final Options options;
  private boolean open;
  private long prepareBy;

  Applying(Masters masters, Options options) {
    this.masters = masters;
    this.options = options;
  }

  /** Applies at home and leaves the transaction open. */
  Event atHome(Compiled c) throws SQLException {
    Session home = masters.home();
    Connection connection = home.connection();
    home.dialect().prepareSession(connection, home.schema(), options.lockTimeout());
    connection.setAutoCommit(false);
    open = true;
    prepareBy = 0;
    try {
      home.fence(true);
    } catch (SQLException e) {
      abandon();
      throw e;
    }
    Optional<Event> refused = runAll(home, c);
    if (refused.isPresent()) {
      if (!home.lost()) {
        abandon();
      }
      return refused.get();
    }
    return new Event.Done();
  }

  /** Rolls back whatever is open at home. */
  Event abandon() throws SQLException {
    if (open) {
      open = false;
      Connection c = masters.home().connection();
      if (!c.getAutoCommit()) {
        c.rollback();
        c.setAutoCommit(true);
      }
    }
    return new Event.Done();
  }

  Event commit(Compiled c, boolean settled) throws SQLException {
    Session home = masters.home();
    Connection connection = home.connection();
    if (!open || connection.getAutoCommit()) {
      return new Event.Unclear("the transaction at home is gone");
    }
    try {
      new QueueTable(home).done(c.operation(), c.row().op(), settled);
      connection.commit();
      open = false;
      connection.setAutoCommit(true);
      return new Event.Done();
    } catch (SQLException e) {
      if (!home.lost()) {
        abandon();
      }
      throw e;
    }
  }

  Event prepare(Compiled c, Masters.Peer peer) throws SQLException {
    Session s = peer.session();
    long now = System.nanoTime();
    prepareBy = prepareBy == 0 ? now + options.prepareTimeout().toNanos() : prepareBy;
    Duration left = Duration.ofNanos(prepareBy - now);
    if (left.toMillis() < 1) {
      return new Event.Refused("no time left of the prepare timeout", false);
    }
    Connection connection = s.connection();
    s.dialect().prepareSession(connection, s.schema(), options.lockTimeout());
    connection.setAutoCommit(false);
    try {
      // Without a row lock: it would outlive this session in the prepared transaction.
      s.fence(false);
      Sql.run(connection, "SET LOCAL statement_timeout = " + left.toMillis());
      Optional<Event> refused = runAll(s, c);
      if (refused.isPresent()) {
        return refused.get();
      }
      new Prepared(s, peer.lease()).prepare(c.operation().ticket());
      return new Event.Done();
    } finally {
      if (!connection.isClosed()) {
        connection.rollback();
        Sql.plain(connection);
      }
    }
  }

  private static Optional<Event> runAll(Session s, Compiled c) {
    for (int i = 0; i < c.statements().size(); i++) {
      try {
        Sql.run(s.connection(), c.statements().get(i).sql());
      } catch (SQLException e) {
        String text = c.where(i) + s.explain(e);
        return Optional.of(
            s.lost() ? new Event.Unclear(text) : new Event.Refused(text, s.dialect().busy(e)));
      }
    }
    return Optional.empty();
  }

  Event intend(Session s, Operation op, int statement) throws SQLException {
    return mark(s, () -> new Steps(s).intend(op, statement));
  }

  /** A write to the step table. */
  interface Mark {
    void write() throws SQLException;
  }

  Event mark(Session s, Mark mark) throws SQLException {
    return Sql.inTransaction(
        s.connection(),
        () -> {
          s.fence(true);
          mark.write();
          return new Event.Done();
        });
  }

  /** Runs one statement and acknowledges it; an error after the statement leaves doubt. */
  Event step(Session s, Compiled c, int statement) throws SQLException {
    Connection connection = s.connection();
    s.dialect().prepareSession(connection, s.schema(), options.lockTimeout());
    Statement sql = c.statements().get(statement);
    boolean together = s.dialect().acknowledgesInPlace();
    if (together) {
      connection.setAutoCommit(false);
    }
    try {
      s.fence(together);
      Sql.run(connection, sql.sql());
    } catch (Lease.Fenced e) {
      throw e;
    } catch (SQLException e) {
      String text = s.explain(e);
      if (s.lost()) {
        return lost(s, text);
      }
      if (together) {
        connection.rollback();
        Sql.plain(connection);
      }
      return new Event.Refused(text, s.dialect().busy(e));
    }
    try {
      if (together) {
        new Steps(s).acknowledge(c.operation().id(), statement);
        connection.commit();
        Sql.plain(connection);
      } else {
        mark(s, () -> new Steps(s).acknowledge(c.operation().id(), statement));
      }
      return new Event.Done();
    } catch (SQLException e) {
      return lost(s, s.explain(e));
    }
  }

  private Event lost(Session s, String text) {
    if (s.target().name().equals(masters.homeName())) {
      masters.close();
    } else {
      masters.drop(s.target().name());
    }
    return new Event.Unclear(text);
  }

  /** Looks whether a statement without acknowledgement took place. */
  Event verify(Session s, Compiled c, int statement) throws SQLException {
    if (s.dialect().undoneByRollback(c.statements().get(statement))) {
      return new Event.Verified(false);
    }
    Optional<String> query = c.verify(statement);
    if (query.isEmpty()) {
      return new Event.NotVerifiable("it has no verify query");
    }
    try (java.sql.Statement sql = s.connection().createStatement()) {
      sql.setEscapeProcessing(false);
      try (ResultSet r = sql.executeQuery(query.get())) {
        return r.next() ? new Event.Verified(r.getBoolean(1)) : new Event.Verified(false);
      }
    } catch (SQLException e) {
      if (s.lost()) {
        throw e;
      }
      return new Event.NotVerifiable("its verify query failed: " + s.explain(e));
    }
  }
}
