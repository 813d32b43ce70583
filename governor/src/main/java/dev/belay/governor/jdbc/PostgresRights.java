package dev.belay.governor.jdbc;

import static dev.belay.governor.jdbc.Sql.query;

import dev.belay.governor.jdbc.Dialect.Lack;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a user of PostgreSQL may do with the queue, as the catalogue says: the information schema
 * hides a table from whoever has no right on it, as if it were not there.
 */
final class PostgresRights {

  private record Needed(String table, String rights) {}

  private static final List<Needed> NEEDED =
      List.of(
          new Needed("queue", "SELECT, INSERT, UPDATE"),
          new Needed("step", "SELECT, INSERT, UPDATE, DELETE"),
          new Needed("master", "SELECT, INSERT"),
          new Needed("lease", "SELECT, UPDATE"));

  /** What is missing on one table. */
  private record Missing(String table, List<String> rights) {}

  static Optional<Lack> lacking(Connection c, String schema) throws SQLException {
    String user = query(c, "SELECT quote_ident(current_user)", r -> r.getString(1)).orElse("?");
    String bare = schema.substring(0, schema.length() - 1);
    boolean there =
        query(
                c,
                "SELECT to_regclass(?) IS NOT NULL",
                r -> r.getBoolean(1),
                schema + "belay_governor_lease")
            .orElse(false);
    return there ? onTables(c, schema, user) : onSchema(c, bare, user);
  }

  private static Optional<Lack> onSchema(Connection c, String schema, String user)
      throws SQLException {
    boolean may =
        query(c, "SELECT has_schema_privilege(current_schema(), 'CREATE')", r -> r.getBoolean(1))
            .orElse(false);
    return may
        ? Optional.empty()
        : Optional.of(
            new Lack(
                "permission denied for schema "
                    + schema
                    + ": "
                    + user
                    + " may not create the tables of the queue in it",
                "GRANT USAGE, CREATE ON SCHEMA " + schema + " TO " + user,
                false));
  }

  private static Optional<Lack> onTables(Connection c, String schema, String user)
      throws SQLException {
    List<Missing> missing = new ArrayList<>();
    for (Needed n : NEEDED) {
      List<String> rights = missing(c, schema + "belay_governor_" + n.table(), n.rights());
      if (!rights.isEmpty()) {
        missing.add(new Missing("belay_governor_" + n.table(), rights));
      }
    }
    if (missing.isEmpty()) {
      return Optional.empty();
    }
    Missing first = missing.getFirst();
    return Optional.of(
        new Lack(
            "permission denied for table "
                + first.table()
                + ": "
                + user
                + " lacks "
                + String.join(", ", first.rights()),
            String.join(
                "; ",
                missing.stream()
                    .map(m ->
                        "GRANT "
                            + String.join(", ", m.rights())
                            + " ON "
                            + schema
                            + m.table()
                            + " TO "
                            + user)
                    .toList()),
            missing.stream().anyMatch(m -> m.rights().contains("SELECT"))));
  }

  /** One question per table: a look is taken every few seconds. */
  private static List<String> missing(Connection c, String table, String rights)
      throws SQLException {
    return Sql.list(
        c,
        "SELECT r FROM unnest(string_to_array(?, ', ')) r"
            + " WHERE NOT has_table_privilege(to_regclass(?), r)",
        r -> r.getString(1),
        rights,
        table);
  }

  private PostgresRights() {}
}
