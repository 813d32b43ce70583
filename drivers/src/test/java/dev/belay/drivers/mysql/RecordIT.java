package dev.belay.drivers.mysql;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.wire.Deadline;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes down anew what real servers answer, with {@code -Dbelay.record=true}. */
@EnabledIfSystemProperty(named = "belay.record", matches = "true")
class RecordIT {

  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(strings = {"10.11", "11.4", "9.7"})
  void writes_down_what_it_answers(String version) throws Exception {
    try (var servers = RealMariaDb.start(dir, version, 3);
        var driver = new MysqlDriver(RealMariaDb.CONFIG);
        var door = new JdbcDoor(RealMariaDb.CONFIG)) {
      MysqlDriverIT.await(servers, driver, MysqlDriverIT::allWell);
      for (Seat seat : servers.seats()) {
        Path file =
            Path.of(
                    "src/test/resources/mysql/"
                        + (RealMariaDb.flavor(version) == Flavor.MYSQL ? "mysql-" : "mariadb-")
                        + version)
                .resolve(seat.pod() + ".json");
        try (Session session = door.open(seat, Deadline.in(Duration.ofSeconds(10)))) {
          Recorded.write(session, file);
        }
        String text = Files.readString(file);
        for (int i = 0; i < 3; i++) {
          text = text.replace("\"" + servers.processes.host(i) + "\"", "\"mysql-" + i + ".mysql\"");
        }
        Files.writeString(file, text + "\n");
      }
    }
  }
}
