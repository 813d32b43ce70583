package dev.belay.governor.jdbc;

import dev.belay.governor.queue.Operation;
import dev.belay.governor.queue.Sight.Progress;
import java.sql.SQLException;

/** The SQL of {@code belay_governor_step}: what was intended and what is acknowledged, here. */
final class Steps {

  private final Session s;
  private final String step;

  Steps(Session s) {
    this.s = s;
    this.step = s.table("step");
  }

  Progress progress(long op) throws SQLException {
    int acknowledged =
        Sql.query(
                s.connection(),
                "SELECT COUNT(*) FROM " + step + " WHERE op_id = ? AND acknowledged = TRUE",
                r -> r.getInt(1),
                op)
            .orElse(0);
    boolean intended =
        Sql.query(
                s.connection(),
                "SELECT statement FROM " + step + " WHERE op_id = ? AND acknowledged = FALSE",
                r -> r.getInt(1),
                op)
            .isPresent();
    return new Progress(acknowledged, intended);
  }

  void intend(Operation op, int statement) throws SQLException {
    Sql.update(
        s.connection(),
        "INSERT INTO " + step + " (op_id, statement, acknowledged, epoch) VALUES (?, ?, FALSE, ?)",
        op.id(),
        statement,
        s.epoch());
  }

  void acknowledge(long op, int statement) throws SQLException {
    Sql.update(
        s.connection(),
        "UPDATE " + step + " SET acknowledged = TRUE WHERE op_id = ? AND statement = ?",
        op,
        statement);
  }

  void retract(long op, int statement) throws SQLException {
    Sql.update(
        s.connection(),
        "DELETE FROM " + step + " WHERE op_id = ? AND statement = ? AND acknowledged = FALSE",
        op,
        statement);
  }
}
