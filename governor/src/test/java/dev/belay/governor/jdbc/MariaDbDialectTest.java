package dev.belay.governor.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.mariadb.jdbc.Configuration;

class MariaDbDialectTest {

  @Test
  void a_server_gets_no_file_and_sends_no_session_to_another_server() throws SQLException {
    var used =
        Configuration.parse("jdbc:mariadb://db/app", new MariaDbDialect().properties("test"));
    assertThat(used.allowLocalInfile()).isFalse();
    assertThat(used.permitRedirect()).isFalse();
  }
}
