package dev.belay.governor.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;

/** Runs where {@code src/test/mysql/get} has been run. */
@EnabledIf(value = "dev.belay.governor.jdbc.MySql#there", disabledReason = "run src/test/mysql/get")
class MySqlIT implements FileAccess {

  private static MySql server;

  @BeforeAll
  static void start() throws Exception {
    server = MySql.start("--local-infile=ON");
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
  public Target clerk(Target t) throws SQLException {
    return MariaDb.clerk(t);
  }

  @Override
  public List<String> thefts(Path file) {
    return MariaDb.thefts(file);
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
