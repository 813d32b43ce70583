package dev.belay.governor.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** The databases of the tests, for tests of other packages. */
public final class Databases {

  private Databases() {}

  /** The URL of a new, empty PostgreSQL database; its user is postgres. */
  public static String postgres() throws SQLException {
    return Postgres.shared().database().url();
  }

  /** The first column of all rows. */
  public static String one(String url, String sql) throws SQLException {
    try (Connection c = Postgres.connect(new Target(url, "postgres", java.util.Optional.empty()))) {
      return String.join(",", Sql.list(c, sql, r -> String.valueOf(r.getString(1))));
    }
  }
}
