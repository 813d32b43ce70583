package dev.belay.governor.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

class MariaDbIT implements EveryDatabase {

  @Override
  public Target fresh() throws SQLException {
    return MariaDb.shared().database();
  }

  @Override
  public Connection connect(Target t) throws SQLException {
    return MariaDb.connect(t);
  }

  @Override
  public boolean scriptsAreAtomic() {
    return false;
  }

  @Override
  public String currentSchema() {
    return "DATABASE()";
  }

  @Override
  public String whenDmlIsInDoubt(int n) {
    return "-- belay:verify SELECT COUNT(*) FROM done_by_op WHERE n = " + n + "\n";
  }
}
