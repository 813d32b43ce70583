package dev.belay.drivers.mysql;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.wire.Deadline;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** One conversation with one server; what it locks is free again when it ends. */
interface Session extends AutoCloseable {

  /** The rows, by the names of their columns in small letters; NULL is absent. */
  List<Map<String, String>> ask(String sql) throws SQLException;

  void run(String sql) throws SQLException;

  @Override
  void close();

  /** How conversations are begun. */
  interface Door extends AutoCloseable {
    Session open(Seat seat, Deadline deadline) throws SQLException;

    @Override
    default void close() {}
  }
}
