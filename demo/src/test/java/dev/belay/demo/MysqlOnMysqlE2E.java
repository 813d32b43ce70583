package dev.belay.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.belay.demo.Arena.Place;
import dev.belay.sandbox.Binaries;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Three real MySQL servers, as their example has them, go from 8.4 to 9.7 under load. */
@ExtendWith(Arena.Provider.class)
class MysqlOnMysqlE2E {

  private static final String OLD = "8.4";
  private static final String NEW = "9.7";

  @Test
  void from_one_series_to_the_next_without_losing_a_row(Arena arena) throws Exception {
    assumeThere(OLD);
    assumeThere(NEW);
    try (Place place = arena.place("mysql-8");
        MysqlCluster mysql = MysqlCluster.deployed(place, MysqlCluster.Kind.MYSQL);
        var pods = new PodHistory(arena.client(), "mysql-8");
        var load = new MysqlLoad(mysql)) {
      BelayView belay = place.adopted("mysql");
      assertThat(mysql.versions().values()).allMatch(v -> v.startsWith(OLD + "."));

      place.kubectl("set", "image", "sts/mysql", "mysqld=mysql:" + NEW);
      place.await("the upgrade begins", () -> belay.is("Upgrading"));
      // Each converts its system tables first, which takes this machine a while.
      for (String pod : List.of("mysql-2", "mysql-1", "mysql-0")) {
        place.await(
            pod + " is new", () -> mysql.versions().getOrDefault(pod, "").startsWith(NEW + "."));
      }
      place.await("the upgrade ends", () -> belay.phase().equals("Idle") && mysql.serves(NEW));

      assertThat(place.images()).isEqualTo(Set.of("mysql:" + NEW));
      assertThat(pods.lives()).isEqualTo(Map.of("mysql-0", 2, "mysql-1", 2, "mysql-2", 2));
      MysqlE2E.neverAPrimary(arena, mysql, "mysql-8");
      assertThat(belay.events())
          .anySatisfy(e ->
              assertThat(e.getMessage())
                  .contains("make mysql-0 read-only so that mysql-1 can take over"));
      MysqlE2E.nothingIsLost("MysqlOnMysqlE2E", mysql, load, place);
    }
  }

  /** They come from distributions that may move on, so that nobody depends on them. */
  private static void assumeThere(String version) {
    assumeTrue(
        Files.isExecutable(Binaries.cache().resolve("images/mysql/" + version + "/entrypoint")),
        "no image of MySQL " + version + "; sandbox/images/get mysql says why");
  }
}
