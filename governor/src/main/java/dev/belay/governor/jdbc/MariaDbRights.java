package dev.belay.governor.jdbc;

import dev.belay.governor.jdbc.Dialect.Lack;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a user of MariaDB or MySQL may do with the queue. Rights come from roles, patterns and three
 * levels, so the server itself is asked: it checks a statement's rights when that is prepared.
 */
final class MariaDbRights {

  private static final String NEEDED = "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP";

  static Optional<Lack> lacking(MariaDbDialect dialect, Connection c, String schema)
      throws SQLException {
    String queue = schema + "belay_governor_queue";
    String step = schema + "belay_governor_step";
    String lease = schema + "belay_governor_lease";
    boolean there = exists(c);
    List<String> statements =
        there
            ? List.of(
                "SELECT 1 FROM " + queue,
                "SELECT 1 FROM " + lease,
                "UPDATE " + lease + " SET epoch = epoch",
                "INSERT INTO " + queue + " (op) VALUES (1)",
                "UPDATE " + queue + " SET status = status",
                "INSERT INTO " + step + " (op_id, statement) VALUES (1, 1)",
                "DELETE FROM " + step,
                "INSERT INTO " + schema + "belay_governor_master (member) VALUES (1)")
            : List.of("CREATE TABLE " + lease + " (id int)");
    for (int i = 0; i < statements.size(); i++) {
      try {
        prepare(c, statements.get(i));
      } catch (SQLException e) {
        if (!dialect.forbidden(e)) {
          throw e;
        }
        // Nobody shows a table to whom nothing on it is granted: it may be there.
        boolean unread = !there || i < 2;
        return Optional.of(new Lack(words(e), grant(c, schema), unread));
      }
    }
    return Optional.empty();
  }

  private static void prepare(Connection c, String statement) throws SQLException {
    Sql.run(c, "PREPARE belay_rights FROM '" + statement.replace("'", "''") + "'");
    Sql.run(c, "DEALLOCATE PREPARE belay_rights");
  }

  private static boolean exists(Connection c) throws SQLException {
    return Sql.query(
                c,
                "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND"
                    + " TABLE_NAME = 'belay_governor_lease'",
                r -> r.getInt(1))
            .orElse(0)
        > 0;
  }

  private static String grant(Connection c, String schema) throws SQLException {
    String user =
        Sql.query(
                c,
                "SELECT CONCAT(QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', 1)), '@',"
                    + " QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)))",
                r -> r.getString(1))
            .orElse("CURRENT_USER()");
    return "GRANT " + NEEDED + " ON " + schema + "* TO " + user;
  }

  private static String words(SQLException e) {
    @Nullable String text = e.getMessage();
    return text == null ? "access denied" : text.strip();
  }

  private MariaDbRights() {}
}
