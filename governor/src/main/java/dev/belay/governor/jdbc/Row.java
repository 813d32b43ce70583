package dev.belay.governor.jdbc;

import dev.belay.governor.files.Migration.Phase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A row of {@code belay_governor_queue}, column by column. */
public record Row(
    long id,
    Optional<String> batch,
    String op,
    String format,
    String status,
    Optional<String> statusDescription,
    String kind,
    Optional<String> description,
    Optional<Phase> phase,
    boolean reversible,
    boolean transactional,
    Optional<String> verify,
    Optional<String> undo,
    Optional<String> checksum,
    int attempt,
    int tries,
    boolean settled,
    Instant created,
    Optional<Instant> started,
    Optional<Instant> finished,
    String who) {

  public static final String PENDING = "pending";
  public static final String DONE = "done";
  public static final String FAILED = "failed";
  public static final String UPGRADE = "upgrade";
  public static final String CUSTOM = "custom";
  public static final String SQL = "sql";
  public static final String SQL_SCRIPT = "sql_script";

  /** One line of what it is for. */
  public String title() {
    String first = op.strip().lines().filter(l -> !l.startsWith("--")).findFirst().orElse("");
    return description.orElse(first.length() > 60 ? first.substring(0, 59) + "…" : first);
  }

  static Row read(ResultSet r) throws SQLException {
    return new Row(
        r.getLong("id"),
        text(r, "batch_id"),
        r.getString("op"),
        r.getString("op_format"),
        r.getString("status"),
        text(r, "status_description"),
        r.getString("kind"),
        text(r, "description"),
        text(r, "phase").flatMap(Phase::parse),
        r.getBoolean("reversible"),
        r.getBoolean("transactional"),
        text(r, "verify"),
        text(r, "undo_op"),
        text(r, "checksum"),
        r.getInt("attempt"),
        r.getInt("tries"),
        r.getBoolean("settled"),
        r.getTimestamp("created_at").toInstant(),
        time(r, "started_at"),
        time(r, "finished_at"),
        r.getString("who"));
  }

  private static Optional<String> text(ResultSet r, String column) throws SQLException {
    @Nullable String value = r.getString(column);
    return Optional.ofNullable(value);
  }

  private static Optional<Instant> time(ResultSet r, String column) throws SQLException {
    @Nullable Timestamp value = r.getTimestamp(column);
    return Optional.ofNullable(value).map(Timestamp::toInstant);
  }
}
