package dev.belay.governor.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;

/** Runs where {@code src/test/mysql/get} has been run. */
@EnabledIf(value = "dev.belay.governor.jdbc.MySql#there", disabledReason = "run src/test/mysql/get")
class MySqlIT implements EveryDatabase {

  private static MySql server;

  @BeforeAll
  static void start() throws Exception {
    server = MySql.start();
  }

  @AfterAll
  static void end() {
    server.close();
  }

  @Override
  public Target fresh() throws SQLException {
    return server.database();
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
