package dev.belay.drivers.mysql;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Hosts;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** Conversations over JDBC; MariaDB's driver speaks with MySQL too. */
final class JdbcDoor implements Session.Door {

  /** More than any of the answers has, and less than would hurt. */
  static final int ROWS = 200;

  private static final int LENGTH = 1024 * 1024;

  /** How long a server keeps a session, and its lock, beyond the time in which it may be used. */
  private static final Duration AFTER = Duration.ofSeconds(2);

  private final DriverConfig config;
  private final Optional<String> tls;
  private final org.mariadb.jdbc.Driver driver = new org.mariadb.jdbc.Driver();

  JdbcDoor(DriverConfig config) {
    this.config = config;
    this.tls = config.tls().map(TlsSockets::prepare);
  }

  @Override
  public Session open(Seat seat, Deadline deadline) throws SQLException {
    String host = Hosts.of(seat);
    int port = seat.address().getPort();
    Connection connection =
        driver.connect(
            "jdbc:mariadb://%s:%d/".formatted(host, port < 0 ? 3306 : port), options(deadline));
    return new Jdbc(connection);
  }

  Properties options(Deadline deadline) {
    var options = new Properties();
    config
        .auth()
        .ifPresent(auth -> {
          options.setProperty("user", auth.username());
          options.setProperty("password", auth.password());
        });
    String patience = Long.toString(deadline.left().toMillis() + 1);
    options.setProperty("connectTimeout", patience);
    options.setProperty("socketTimeout", patience);
    // A node that loses power says no goodbye: by default its session, and Belay's lock in it,
    // would
    // stay for eight hours.
    long seconds = deadline.left().plus(AFTER).toSeconds();
    options.setProperty(
        "sessionVariables",
        "wait_timeout=%1$d,net_read_timeout=%1$d,net_write_timeout=%1$d".formatted(seconds));
    // Without TLS, MySQL gives its own key so that the password does not travel in the open.
    options.setProperty("allowPublicKeyRetrieval", "true");
    options.setProperty("allowLocalInfile", "false");
    options.setProperty("permitRedirect", "false");
    options.setProperty("connectionAttributes", "program_name:belay");
    options.setProperty("sslMode", tls.isPresent() ? "verify-ca" : "disable");
    tls.ifPresent(key -> TlsSockets.use(options, key));
    return options;
  }

  @Override
  public void close() {
    tls.ifPresent(TlsSockets::forget);
  }

  /** One connection. */
  private record Jdbc(Connection connection) implements Session {

    @Override
    public List<Map<String, String>> ask(String sql) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.setMaxRows(ROWS);
        try (ResultSet result = statement.executeQuery(sql)) {
          var rows = new ArrayList<Map<String, String>>();
          while (result.next()) {
            rows.add(row(result));
          }
          return List.copyOf(rows);
        }
      }
    }

    private static Map<String, String> row(ResultSet result) throws SQLException {
      var row = new HashMap<String, String>();
      var columns = result.getMetaData();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        String value = result.getString(i);
        if (value != null && value.length() > LENGTH) {
          throw new SQLException("answers with more than " + LENGTH / 1024 + " KiB");
        }
        if (value != null) {
          row.put(columns.getColumnLabel(i).toLowerCase(Locale.ROOT), value);
        }
      }
      return row;
    }

    @Override
    public void run(String sql) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql);
      }
    }

    @Override
    public void close() {
      try {
        connection.close();
      } catch (SQLException gone) {
        // It is gone either way, and with it what it locked.
      }
    }
  }
}
