package dev.belay.governor.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

class PostgresIT implements EveryDatabase {

  @Override
  public Target fresh() throws SQLException {
    return Postgres.shared().database();
  }

  @Override
  public Connection connect(Target t) throws SQLException {
    return Postgres.connect(t);
  }

  @Override
  public boolean scriptsAreAtomic() {
    return true;
  }
}
