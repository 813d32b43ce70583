package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.belay.demo.BelayView;
import dev.belay.sandbox.Binaries;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Three real MySQL servers, as their example has them, are restarted under load by their template.
 */
@ExtendWith(Arena.Provider.class)
class MysqlOnMysqlE2E {

  private static final String VERSION = "9.7";

  @Test
  void rolled_by_its_template_without_losing_a_row(Arena arena) throws Exception {
    assumeThere(VERSION);
    try (Place place = arena.place("mysql-9");
        MysqlCluster mysql = MysqlCluster.deployed(place, MysqlCluster.Kind.MYSQL);
        var pods = new PodHistory(arena.client(), "mysql-9");
        var load = new MysqlLoad(mysql)) {
      BelayView belay = place.adopted("mysql");
      assertThat(mysql.versions().values()).allMatch(v -> v.startsWith(VERSION + "."));

      Map<String, String> before = place.uids();
      place.kubectl("rollout", "restart", "sts/mysql");
      for (String pod : List.of("mysql-2", "mysql-1", "mysql-0")) {
        place.await(
            pod + " is another one",
            () -> {
              String now = place.uids().getOrDefault(pod, before.get(pod));
              return !now.equals(before.get(pod));
            });
      }
      place.await("the roll-out ends", () -> belay.phase().equals("Idle") && mysql.serves(VERSION));

      assertThat(pods.lives()).isEqualTo(Map.of("mysql-0", 2, "mysql-1", 2, "mysql-2", 2));
      MysqlE2E.neverAPrimary(arena, mysql, "mysql-9");
      assertThat(belay.events())
          .anySatisfy(e -> assertThat(e.getMessage()).contains("make mysql-0 read-only so that"));
      MysqlE2E.nothingIsLost("MysqlOnMysqlE2E", mysql, load, place);
    }
  }

  /** It comes from a distribution that moves on, so that nobody depends on it. */
  private static void assumeThere(String version) {
    assumeTrue(
        Files.isExecutable(Binaries.cache().resolve("images/mysql/" + version + "/entrypoint")),
        "no image of MySQL " + version + "; testing/sandbox/images/get mysql says why");
  }
}
