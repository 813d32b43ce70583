package dev.belay.drivers.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.wire.Deadline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.mariadb.jdbc.Configuration;

class JdbcDoorTest {

  @Test
  void a_server_gets_no_file_and_sends_no_session_to_another_server() throws SQLException {
    try (var door = new JdbcDoor(new DriverConfig(Optional.empty(), Optional.empty()))) {
      var options = door.options(Deadline.in(Duration.ofSeconds(2)));
      var used = Configuration.parse("jdbc:mariadb://mysql-0/", options);
      assertThat(used.allowLocalInfile()).isFalse();
      assertThat(used.permitRedirect()).isFalse();
    }
  }
}
