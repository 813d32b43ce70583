package dev.belay.governor.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The few shapes of JDBC that are needed here. */
final class Sql {

  private Sql() {}

  /** Reads one row. */
  interface Reader<T extends @Nullable Object> {
    T read(ResultSet row) throws SQLException;
  }

  static void run(Connection c, String sql) throws SQLException {
    try (Statement s = c.createStatement()) {
      s.setEscapeProcessing(false);
      s.execute(sql);
    }
  }

  static int update(Connection c, String sql, @Nullable Object... values) throws SQLException {
    try (PreparedStatement s = c.prepareStatement(sql)) {
      fill(s, values);
      return s.executeUpdate();
    }
  }

  /** The first row; empty, too, when its value is NULL. */
  static <T> Optional<T> query(
      Connection c, String sql, Reader<@Nullable T> reader, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement s = c.prepareStatement(sql)) {
      fill(s, values);
      try (ResultSet r = s.executeQuery()) {
        return r.next() ? Optional.ofNullable(reader.read(r)) : Optional.empty();
      }
    }
  }

  static <T> List<T> list(Connection c, String sql, Reader<T> reader, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement s = c.prepareStatement(sql)) {
      fill(s, values);
      List<T> out = new ArrayList<>();
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          out.add(reader.read(r));
        }
      }
      return out;
    }
  }

  private static void fill(PreparedStatement s, @Nullable Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      s.setObject(i + 1, values[i]);
    }
  }

  /** Runs a piece of work as one transaction. */
  static <T> T inTransaction(Connection c, Work<T> work) throws SQLException {
    c.setAutoCommit(false);
    try {
      T result = work.run();
      c.commit();
      return result;
    } catch (SQLException | RuntimeException e) {
      try {
        c.rollback();
      } catch (SQLException again) {
        e.addSuppressed(again);
      }
      throw e;
    } finally {
      plain(c);
    }
  }

  /** Back to one transaction per statement; a dead connection says so on its next use. */
  static void plain(Connection c) {
    try {
      c.setAutoCommit(true);
    } catch (SQLException e) {
      // The exception that is under way, or the next statement, tells what happened.
    }
  }

  /** A piece of work on a connection. */
  interface Work<T> {
    T run() throws SQLException;
  }
}
