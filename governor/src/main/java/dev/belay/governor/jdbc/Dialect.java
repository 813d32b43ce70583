package dev.belay.governor.jdbc;

import dev.belay.governor.Refusal;
import dev.belay.governor.files.Script;
import dev.belay.governor.files.Syntax;
import dev.belay.governor.queue.Operation.Way;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** What differs between the databases. */
public interface Dialect {

  Syntax syntax();

  /** How an ordinary operation is kept from running twice. */
  Way way();

  /** Connection properties that a governor wants: a time limit on connecting, a name. */
  Properties properties(String owner);

  /** Opens a session in which no SQL can use a file of the machine that runs the governor. */
  default Connection connect(Target target, Properties p) throws SQLException {
    return DriverManager.getConnection(target.url(), p);
  }

  /** The schema that the session works in, quoted, with a dot; refused when there is none. */
  String schema(Connection c) throws SQLException;

  /** Step zero: idempotent, without rights for PUBLIC. */
  List<String> tables(String schema);

  /** Why it must not be used as a master, with the cure. */
  Optional<String> unfit(Connection c, boolean twoPhase) throws SQLException;

  /** Takes the one lock of all governors of this schema in this session; does not wait. */
  boolean tryLock(Connection c, String schema) throws SQLException;

  /** Whether the lock needs a session of its own because a statement would release it. */
  boolean lockApart();

  /** Who has the lock, if the database can tell. */
  Optional<Holder> holder(Connection c, String schema) throws SQLException;

  /** Ends a session; returns before it is gone. */
  void end(Connection c, String session) throws SQLException;

  /** Puts a session back to its defaults and bounds how long it waits for a lock. */
  void prepareSession(Connection c, String schema, Duration lockTimeout) throws SQLException;

  /** Appended to a SELECT, keeps others from changing the row until the transaction ends. */
  String holdRow();

  /** Somebody else holds a lock; nothing was applied. */
  boolean busy(SQLException e);

  /** Whether a statement without acknowledgement cannot have taken effect. */
  boolean undoneByRollback(Script.Statement s);

  /** Whether statement and acknowledgement go into one transaction, as far as it reaches. */
  boolean acknowledgesInPlace();

  /** Why it cannot be waited for as a replica, with the cure. */
  Optional<String> noReplica(Connection c) throws SQLException;

  /** Where a master's log ends after everything that it has committed; empty: it keeps none. */
  Optional<String> position(Connection c) throws SQLException;

  /** Whether a replica has replayed a master's log up to there; waits no longer than told. */
  boolean replayed(Connection c, String position, Duration patience) throws SQLException;

  /** How a person ends a session, as a statement. */
  String ending(String session);

  /**
   * Which right the session's user lacks to keep the queue in this schema, whether it is there or
   * still to be made. Creates nothing.
   */
  Optional<Lack> lacking(Connection c, String schema) throws SQLException;

  /** Whether the database says no to this user. */
  boolean forbidden(SQLException e);

  /**
   * Whoever holds the lock.
   *
   * @param who as a person looks for it: user, host, the name of the program
   * @param idle how long it has done nothing; zero unless it is idle
   */
  record Holder(String session, String who, Activity activity, Duration idle) {

    /** Whether nothing was heard of it for longer than that; what is hidden may well work. */
    boolean silentFor(Duration lease) {
      return activity == Activity.IDLE && idle.compareTo(lease) > 0;
    }
  }

  /** What a session does. */
  enum Activity {
    WORKS,
    IDLE,
    /** It is another user's, and this one has no right to see what it does. */
    HIDDEN
  }

  /**
   * A missing right.
   *
   * @param words what the database says
   * @param grant the statement that gives it
   * @param unread whether the queue is there and cannot even be read
   */
  record Lack(String words, String grant, boolean unread) {}

  static Dialect of(Target target) {
    String url = target.url();
    if (url.startsWith("jdbc:postgresql:")) {
      return new PostgresDialect();
    }
    if (url.startsWith("jdbc:mariadb:")) {
      return new MariaDbDialect();
    }
    if (url.startsWith("jdbc:h2:")) {
      return new H2Dialect();
    }
    if (url.startsWith("jdbc:mysql:")) {
      throw new Refusal(
          "url "
              + target.name()
              + ": MySQL is reached by the MariaDB driver; write jdbc:mariadb:"
              + " instead of jdbc:mysql:");
    }
    throw new Refusal(
        "url "
            + target.name()
            + " is of no known database; there are jdbc:postgresql:,"
            + " jdbc:mariadb: and jdbc:h2:");
  }
}
