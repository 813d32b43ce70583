package dev.belay.governor.jdbc;

import static dev.belay.governor.jdbc.Sql.query;
import static dev.belay.governor.jdbc.Sql.run;

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
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.Configuration;

/** MariaDB and MySQL: DDL commits by itself, so operations go by steps. */
final class MariaDbDialect implements Dialect {

  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;

  /** Database, table, column, privilege, routine: each has its own number. */
  private static final Set<Integer> FORBIDDEN = Set.of(1044, 1142, 1143, 1227, 1370);

  @Override
  public Syntax syntax() {
    return Syntax.MARIADB;
  }

  @Override
  public Way way() {
    return Way.STEPS;
  }

  @Override
  public Properties properties(String owner) {
    Properties p = new Properties();
    p.setProperty("connectTimeout", "5000");
    p.setProperty("tcpKeepAlive", "true");
    // The connector's default is true: LOAD DATA LOCAL would send any file of this machine.
    p.setProperty("allowLocalInfile", "false");
    // A server must not send the password on to another server.
    p.setProperty("permitRedirect", "false");
    return p;
  }

  /** The connector takes a parameter of the URL before a property, so it is asked itself. */
  @Override
  public Connection connect(Target target, Properties p) throws SQLException {
    if (Configuration.parse(target.url(), p).allowLocalInfile()) {
      throw new Refusal(
          "url "
              + target.name()
              + " switches allowLocalInfile on, so that SQL could read files of the machine that"
              + " runs the governor; fix: remove allowLocalInfile from the URL");
    }
    return DriverManager.getConnection(target.url(), p);
  }

  @Override
  public String schema(Connection c) throws SQLException {
    return query(c, "SELECT DATABASE()", r -> r.getString(1))
        .map(s -> "`" + s.replace("`", "``") + "`.")
        .orElseThrow(() -> new Refusal("the URL names no database; write jdbc:mariadb://HOST/DB"));
  }

  @Override
  public List<String> tables(String schema) {
    String queue = schema + "belay_governor_queue";
    return List.of(
        "CREATE TABLE IF NOT EXISTS "
            + queue
            + """
            (id bigint AUTO_INCREMENT PRIMARY KEY,
             batch_id varchar(200),
             op longtext NOT NULL,
             op_format varchar(32) NOT NULL DEFAULT 'sql',
             status varchar(16) NOT NULL DEFAULT 'pending'
               CHECK (status IN ('pending', 'done', 'failed')),
             status_description longtext,
             kind varchar(16) NOT NULL DEFAULT 'custom' CHECK (kind IN ('upgrade', 'custom')),
             description longtext,
             phase varchar(16) CHECK (phase IN ('expand', 'finalize', 'contract')),
             reversible boolean NOT NULL DEFAULT false,
             transactional boolean NOT NULL DEFAULT true,
             verify longtext,
             undo_op longtext,
             checksum varchar(80),
             attempt int NOT NULL DEFAULT 1,
             tries int NOT NULL DEFAULT 0,
             settled boolean NOT NULL DEFAULT true,
             created_at timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
             started_at timestamp(3) NULL,
             finished_at timestamp(3) NULL,
             who varchar(200) NOT NULL DEFAULT (CURRENT_USER()),
             INDEX belay_governor_queue_open (status, kind, id),
             INDEX belay_governor_queue_started (status, started_at),
             INDEX belay_governor_queue_unsettled (settled, id))
            ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4\
            """,
        "CREATE TABLE IF NOT EXISTS "
            + schema
            + """
            belay_governor_step (op_id bigint NOT NULL, statement int NOT NULL,
              acknowledged boolean NOT NULL, epoch bigint NOT NULL,
              at timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), PRIMARY KEY (op_id, statement))
             ENGINE = InnoDB\
            """,
        "CREATE TABLE IF NOT EXISTS "
            + schema
            + "belay_governor_master (member varchar(36) PRIMARY KEY, name text NOT NULL)"
            + " ENGINE = InnoDB",
        "CREATE TABLE IF NOT EXISTS "
            + schema
            + """
            belay_governor_lease (id int PRIMARY KEY CHECK (id = 1), layout int NOT NULL,
              cluster_id varchar(36) NOT NULL, member varchar(36) NOT NULL,
              place varchar(400) NOT NULL, epoch bigint NOT NULL, owner varchar(200) NOT NULL)
             ENGINE = InnoDB\
            """);
  }

  @Override
  public Optional<String> unfit(Connection c, boolean twoPhase) throws SQLException {
    if (query(c, "SELECT @@global.read_only", r -> r.getBoolean(1)).orElse(true)) {
      return Optional.of("it is read-only, as a replica is; give the primary");
    }
    return replicates(c)
        ? Optional.of(
            "it replicates from another server; give that one, or, if the two replicate each other,"
                + " STOP SLAVE here for the time of the migration")
        : Optional.empty();
  }

  /** MySQL has no such status variable any more; there only read_only tells. */
  private static boolean replicates(Connection c) throws SQLException {
    return query(c, "SHOW GLOBAL STATUS LIKE 'Slaves_running'", r -> r.getInt(2)).orElse(0) > 0;
  }

  @Override
  public boolean tryLock(Connection c, String schema) throws SQLException {
    return query(c, "SELECT GET_LOCK(" + LOCK_NAME + ", 0)", r -> r.getInt(1) == 1).orElse(false);
  }

  /** MySQL 9 has neither MD5 nor SHA1 any more; a lock's name has at most 64 characters. */
  private static final String LOCK_NAME =
      "CONCAT('belay_governor_', LEFT(SHA2(DATABASE(), 256), 40))";

  @Override
  public boolean lockApart() {
    return false;
  }

  @Override
  public Optional<Holder> holder(Connection c, String schema) throws SQLException {
    // Without the right PROCESS the list has only this user's sessions; the lock is held all the
    // same.
    return query(
        c,
        "SELECT l.id, p.USER, p.HOST, p.COMMAND, p.TIME FROM (SELECT IS_USED_LOCK("
            + LOCK_NAME
            + ") AS id) l LEFT JOIN information_schema.PROCESSLIST p ON p.ID = l.id"
            + " WHERE l.id IS NOT NULL AND l.id <> CONNECTION_ID()",
        r -> {
          @Nullable String user = r.getString(2);
          @Nullable String command = r.getString(4);
          Activity activity =
              command == null
                  ? Activity.HIDDEN
                  : command.equals("Sleep") ? Activity.IDLE : Activity.WORKS;
          return new Holder(
              r.getString(1),
              "session "
                  + r.getString(1)
                  + (user == null ? "" : " of " + user + "@" + r.getString(3)),
              activity,
              Duration.ofSeconds(Math.max(0, r.getLong(5))));
        });
  }

  @Override
  public String ending(String session) {
    return "KILL CONNECTION " + session;
  }

  @Override
  public Optional<Lack> lacking(Connection c, String schema) throws SQLException {
    return MariaDbRights.lacking(this, c, schema);
  }

  @Override
  public boolean forbidden(SQLException e) {
    return FORBIDDEN.contains(e.getErrorCode());
  }

  @Override
  public void end(Connection c, String session) throws SQLException {
    run(c, "KILL CONNECTION " + Long.parseLong(session));
  }

  @Override
  public void prepareSession(Connection c, String schema, Duration lockTimeout)
      throws SQLException {
    // USE in an operation must not lead the next one to another database.
    run(c, "USE " + schema.substring(0, schema.length() - 1));
    long seconds = Math.max(1, lockTimeout.toSeconds());
    run(
        c,
        "SET SESSION lock_wait_timeout = " + seconds + ", innodb_lock_wait_timeout = " + seconds);
  }

  @Override
  public String holdRow() {
    return " LOCK IN SHARE MODE";
  }

  @Override
  public boolean busy(SQLException e) {
    return e.getErrorCode() == LOCK_WAIT_TIMEOUT || e.getErrorCode() == DEADLOCK;
  }

  /** A table may be of an engine without transactions, so nothing is certain. */
  @Override
  public boolean undoneByRollback(Script.Statement s) {
    return false;
  }

  @Override
  public boolean acknowledgesInPlace() {
    return true;
  }

  @Override
  public Optional<String> noReplica(Connection c) {
    return Optional.empty();
  }

  @Override
  public Optional<String> position(Connection c) throws SQLException {
    return query(
            c,
            "SELECT " + (mysql(c) ? "@@global.gtid_executed" : "@@global.gtid_binlog_pos"),
            r -> r.getString(1))
        .filter(p -> !p.isBlank());
  }

  @Override
  public boolean replayed(Connection c, String position, Duration patience) throws SQLException {
    String wait = mysql(c) ? "WAIT_FOR_EXECUTED_GTID_SET" : "MASTER_GTID_WAIT";
    double seconds = patience.toMillis() / 1000.0;
    return query(c, "SELECT " + wait + "(?, ?)", r -> r.getInt(1) == 0, position, seconds)
        .orElse(false);
  }

  private static boolean mysql(Connection c) throws SQLException {
    return !query(c, "SELECT VERSION()", r -> r.getString(1)).orElse("").contains("MariaDB");
  }
}
