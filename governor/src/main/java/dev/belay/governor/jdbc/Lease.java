package dev.belay.governor.jdbc;

import java.sql.SQLException;
import java.util.Optional;

/**
 * The one row that says which cluster a database belongs to and which governor governs it.
 *
 * @param layout the version of the governor's own tables
 * @param member the same in no other database of the cluster
 * @param place database and schema where step zero was done
 * @param epoch grows with every governor that takes over
 */
record Lease(int layout, String cluster, String member, String place, long epoch, String owner) {

  static final int LAYOUT = 1;

  static Optional<Lease> read(Session s) throws SQLException {
    boolean there =
        Sql.query(
                    s.connection(),
                    "SELECT COUNT(*) FROM information_schema.tables"
                        + " WHERE LOWER(table_name) = 'belay_governor_lease' AND table_schema = ?",
                    r -> r.getInt(1),
                    s.bareSchema())
                .orElse(0)
            > 0;
    return there
        ? Sql.query(
            s.connection(),
            "SELECT layout, cluster_id, member, place, epoch, owner FROM " + s.table("lease"),
            r ->
                new Lease(
                    r.getInt(1),
                    r.getString(2),
                    r.getString(3),
                    r.getString(4),
                    r.getLong(5),
                    r.getString(6)))
        : Optional.empty();
  }

  /** A write by a governor that a newer one has replaced. */
  static final class Fenced extends SQLException {
    Fenced(String by) {
      super(by);
    }
  }
}
