package dev.belay.governor.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

class H2IT implements EveryDatabase {

  private static final AtomicInteger NAMES = new AtomicInteger();

  @Override
  public Target fresh() {
    return new Target(
        "jdbc:h2:mem:h2it" + NAMES.incrementAndGet() + ";DB_CLOSE_DELAY=-1", "", Optional.empty());
  }

  @Override
  public Connection connect(Target t) throws SQLException {
    return DriverManager.getConnection(t.url());
  }

  @Override
  public boolean scriptsAreAtomic() {
    return false;
  }
}
