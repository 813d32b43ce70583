package dev.belay.governor.jdbc;

import dev.belay.governor.files.Checksum;
import dev.belay.governor.files.Migration;
import dev.belay.governor.files.Upgrade.Known;
import dev.belay.governor.files.Version;
import dev.belay.governor.queue.Operation;
import dev.belay.governor.queue.Operation.Ticket;
import dev.belay.governor.queue.Sight.Held.Fate;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The SQL of {@code belay_governor_queue}. */
final class QueueTable {

  private final Session s;
  private final String queue;

  QueueTable(Session s) {
    this.s = s;
    this.queue = s.table("queue");
  }

  /** The few rows that decide what comes next, however long the queue is. */
  record Front(
      Optional<Row> unsettled,
      Optional<Row> failed,
      Optional<Row> started,
      Optional<Row> upgrade,
      Optional<Row> custom) {}

  Front front() throws SQLException {
    String first = "(SELECT id FROM " + queue + " WHERE ";
    List<Row> rows =
        Sql.list(
            s.connection(),
            "SELECT * FROM "
                + queue
                + " WHERE id IN ("
                + first
                + "settled = FALSE ORDER BY settled, id LIMIT 1), "
                + first
                + "status = 'failed' ORDER BY id LIMIT 1), "
                + first
                + "status = 'pending' AND started_at IS NOT NULL ORDER BY id LIMIT 1), "
                + first
                + "status = 'pending' AND kind = 'upgrade' ORDER BY status, kind, id LIMIT 1), "
                + first
                + "status = 'pending' AND kind = 'custom' ORDER BY status, kind, id LIMIT 1))"
                + " ORDER BY id",
            Row::read);
    return new Front(
        rows.stream().filter(r -> !r.settled()).findFirst(),
        rows.stream().filter(r -> r.status().equals(Row.FAILED)).findFirst(),
        pending(rows).stream().filter(r -> r.started().isPresent()).findFirst(),
        pending(rows).stream().filter(r -> r.kind().equals(Row.UPGRADE)).findFirst(),
        pending(rows).stream().filter(r -> r.kind().equals(Row.CUSTOM)).findFirst());
  }

  private static List<Row> pending(List<Row> rows) {
    return rows.stream().filter(r -> r.status().equals(Row.PENDING)).toList();
  }

  Optional<Row> row(long id) throws SQLException {
    return Sql.query(s.connection(), "SELECT * FROM " + queue + " WHERE id = ?", Row::read, id);
  }

  /** The newest rows, oldest first. */
  List<Row> last(int most) throws SQLException {
    return Sql.list(
        s.connection(),
        "SELECT * FROM (SELECT * FROM "
            + queue
            + " ORDER BY id DESC LIMIT "
            + most
            + ") newest ORDER BY id",
        Row::read);
  }

  List<Row> byStatus(String status) throws SQLException {
    return Sql.list(
        s.connection(),
        "SELECT * FROM " + queue + " WHERE status = ? ORDER BY id",
        Row::read,
        status);
  }

  /** Not over yet; of a text only its beginning, since there may be many and large ones. */
  List<Row> open() throws SQLException {
    return Sql.list(
        s.connection(),
        "SELECT id, batch_id, LEFT(op, 200) AS op, op_format, status, status_description, kind,"
            + " description, phase, reversible, transactional, verify, undo_op, checksum, attempt,"
            + " tries, settled, created_at, started_at, finished_at, who FROM "
            + queue
            + " WHERE status <> 'done' OR settled = FALSE ORDER BY id",
        Row::read);
  }

  /** What was decided about a transaction that a master has prepared. */
  Fate fate(Ticket t) throws SQLException {
    return Sql.query(
            s.connection(),
            "SELECT status, attempt FROM " + queue + " WHERE id = ?",
            r -> {
              boolean same = r.getInt(2) == t.attempt();
              return switch (r.getString(1)) {
                case Row.PENDING -> same ? Fate.UNDECIDED : Fate.ABORT;
                case Row.DONE -> same ? Fate.COMMIT : Fate.ABORT;
                default -> Fate.ABORT;
              };
            },
            t.id())
        .orElse(Fate.ABORT);
  }

  /** Moves a pending row of this very attempt; anything else was changed by somebody meanwhile. */
  private void move(Operation op, String set, @Nullable Object... values) throws SQLException {
    List<@Nullable Object> all = new ArrayList<>(List.of());
    for (@Nullable Object v : values) {
      all.add(v);
    }
    all.add(op.id());
    all.add(op.attempt());
    int n =
        Sql.update(
            s.connection(),
            "UPDATE "
                + queue
                + " SET "
                + set
                + " WHERE id = ? AND attempt = ? AND status = 'pending'",
            all.toArray());
    if (n != 1) {
      throw new Changed(op.ticket() + " was changed by somebody else meanwhile");
    }
  }

  /** A row that is not as it was when it was looked at. */
  static final class Changed extends SQLException {
    Changed(String what) {
      super(what);
    }
  }

  void start(Operation op, String text) throws SQLException {
    move(
        op,
        "started_at = COALESCE(started_at, CURRENT_TIMESTAMP), checksum = ?",
        Checksum.of(text));
  }

  void done(Operation op, String text, boolean settled) throws SQLException {
    move(
        op,
        "status = 'done', status_description = NULL, settled = ?, checksum = ?,"
            + " started_at = COALESCE(started_at, CURRENT_TIMESTAMP), finished_at = "
            + (s.dialect() instanceof PostgresDialect ? "clock_timestamp()" : "CURRENT_TIMESTAMP"),
        settled,
        Checksum.of(text));
  }

  void failed(Operation op, String error, boolean settled) throws SQLException {
    move(
        op,
        "status = 'failed', status_description = ?, settled = ?, finished_at = CURRENT_TIMESTAMP",
        error,
        settled);
  }

  void postponed(Operation op, String error) throws SQLException {
    move(op, "tries = tries + 1, status_description = ?", error);
  }

  void settled(Operation op) throws SQLException {
    Sql.update(s.connection(), "UPDATE " + queue + " SET settled = TRUE WHERE id = ?", op.id());
  }

  /** A row that somebody wants to add. */
  record Draft(
      @Nullable String batch,
      String op,
      String format,
      String kind,
      @Nullable String description,
      @Nullable String phase,
      boolean reversible,
      boolean transactional,
      @Nullable String verify,
      @Nullable String undo) {

    static Draft of(Migration m) {
      return new Draft(
          m.version().toString(),
          m.text(),
          m.statements() == 1 ? Row.SQL : Row.SQL_SCRIPT,
          Row.UPGRADE,
          m.description(),
          m.phase().text(),
          m.reversible(),
          m.transactional(),
          m.verify().orElse(null),
          m.undo().orElse(null));
    }
  }

  long add(Draft d) throws SQLException {
    try (PreparedStatement p =
        s.connection()
            .prepareStatement(
                "INSERT INTO "
                    + queue
                    + " (batch_id, op, op_format, kind, description, phase, reversible,"
                    + " transactional, verify, undo_op, checksum)"
                    + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                new String[] {"id"})) {
      @Nullable Object[] values = {
        d.batch(),
        d.op(),
        d.format(),
        d.kind(),
        d.description(),
        d.phase(),
        d.reversible(),
        d.transactional(),
        d.verify(),
        d.undo(),
        Checksum.of(d.op())
      };
      for (int i = 0; i < values.length; i++) {
        p.setObject(i + 1, values[i]);
      }
      p.executeUpdate();
      try (ResultSet keys = p.getGeneratedKeys()) {
        keys.next();
        return keys.getLong(1);
      }
    }
  }

  List<Known> upgrades() throws SQLException {
    return Sql.list(
            s.connection(),
            "SELECT id, batch_id, checksum, status FROM "
                + queue
                + " WHERE kind = 'upgrade' AND batch_id IS NOT NULL ORDER BY id",
            r ->
                Version.parse(r.getString(2))
                    .map(v -> {
                      try {
                        @Nullable String sum = r.getString(3);
                        return new Known(r.getLong(1), v, sum == null ? "" : sum, r.getString(4));
                      } catch (SQLException e) {
                        throw new IllegalStateException(e);
                      }
                    }))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }
}
