package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.e2e.Audit.Deletion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** MariaDB with servers that are dead before the upgrade begins, and upgrades that are reverted. */
@ExtendWith(Arena.Provider.class)
class MysqlFailureE2E {

  @Test
  void dead_at_the_top_reverted_dead_at_the_bottom_reverted_again_and_no_row_is_lost(Arena arena)
      throws Exception {
    try (Place place = arena.place("mysql-dead");
        MysqlCluster mysql = MysqlCluster.deployed(place);
        var load = new MysqlLoad(mysql)) {
      BelayView belay = place.adopted("mysql");
      deadAtTheTop(place, mysql, belay);
      deadAtTheBottom(place, mysql, belay);
      revertedMidway(place, mysql, belay);

      List<Deletion> deletions = new Audit(arena.sandbox().auditLog()).podDeletions("mysql-dead");
      assertThat(deletions)
          .extracting(Deletion::pod)
          .as("there and back, and once more")
          .containsExactly("mysql-2", "mysql-2", "mysql-2", "mysql-1", "mysql-0");
      for (Deletion deletion : deletions) {
        MysqlE2E.anotherTookWrites(mysql, deletion);
      }
      MysqlE2E.nothingIsLost("MysqlFailureE2E", mysql, load, place);
    }
  }

  /** What never came up has run nothing on its data: it may go back. */
  private static void deadAtTheTop(Place place, MysqlCluster mysql, BelayView belay) {
    Map<String, String> before = place.uids();
    mysql.ruin("mysql-2").ended();
    place.await("mysql-2 is not ready", () -> place.ready() == 2);

    image(place, MysqlCluster.NEW);
    place.await(
        "mysql-2 is replaced, and named",
        () -> belay.is("Error") && belay.sentence().startsWith("mysql-2 waits"));
    assertThat(belay.sentence()).contains("UpdatedMembersServe, CrashLoopBackOff");
    assertThat(place.uids())
        .containsEntry("mysql-0", before.get("mysql-0"))
        .containsEntry("mysql-1", before.get("mysql-1"))
        .doesNotContainEntry("mysql-2", before.get("mysql-2"));

    image(place, MysqlCluster.OLD);
    place.await(
        "mysql-2 is on its old image",
        () -> place.images().equals(Set.of("mariadb:" + MysqlCluster.OLD)));
    mysql.ruin("mysql-2").repaired();
    ended(place, mysql, belay, MysqlCluster.OLD);
  }

  /** It is the primary. To make another one is not for Belay, nor to let a dead one take writes. */
  private static void deadAtTheBottom(Place place, MysqlCluster mysql, BelayView belay) {
    place.kubectl("annotate", "pod", "mysql-1", "belay.dev/hold=true");
    Map<String, String> before = place.uids();
    mysql.ruin("mysql-0").ended();
    place.await("mysql-0 is not ready", () -> place.ready() == 2);

    image(place, MysqlCluster.NEW);
    place.await(
        "Belay says why",
        () ->
            belay.sentence().startsWith("mysql-2 waits: EveryGroupSurvives")
                && belay.sentence().contains("cure: mysql-0"));
    assertThat(place.uids())
        .containsEntry("mysql-1", before.get("mysql-1"))
        .containsEntry("mysql-2", before.get("mysql-2"));

    mysql.ruin("mysql-0").repaired();
    place.await("mysql-0 is back", () -> mysql.versions().size() == 3);
    assertThat(mysql.writable()).as("who makes a primary writable is not Belay").isEmpty();
    mysql.open("mysql-0");
    place.await("the first one is new", () -> belay.rule().equals("PodIsNotHeld"));
    assertThat(mysql.versions().get("mysql-2")).startsWith(MysqlCluster.NEW);
  }

  /** What has run the newer series on its data stays on it; forward there is a way. */
  private static void revertedMidway(Place place, MysqlCluster mysql, BelayView belay) {
    Map<String, String> before = place.uids();
    image(place, MysqlCluster.OLD);
    place.await("Belay says why not", () -> belay.rule().equals("SeriesGoesForward"));
    assertThat(belay.phase()).isEqualTo("Held");
    assertThat(belay.sentence())
        .isEqualTo(
            "mysql-2 waits: SeriesGoesForward, it has run 11.4 on its data, and 10.11 is older;"
                + " cure: stay on 11.4, or restore a backup");
    mysql.ruin("mysql-2").ended();
    place.await(
        "mysql-2 is dead, by Belay's own account",
        () -> belay.status().orElseThrow().members().unready().contains("mysql-2"));
    place.await("it crashes again", () -> place.restarts("mysql-2") >= 2);
    assertThat(belay.rule()).as("what a dead one has run").isEqualTo("SeriesGoesForward");
    assertThat(place.uids()).isEqualTo(before);

    mysql.ruin("mysql-2").repaired();
    place.kubectl("annotate", "pod", "mysql-1", "belay.dev/hold-");
    image(place, MysqlCluster.NEW);
    ended(place, mysql, belay, MysqlCluster.NEW);
  }

  private static void image(Place place, String version) {
    place.kubectl("set", "image", "sts/mysql", "mariadb=mariadb:" + version);
  }

  private static void ended(Place place, MysqlCluster mysql, BelayView belay, String version) {
    place.await(
        "all servers are on " + version,
        () ->
            belay.phase().equals("Idle")
                && place.images().equals(Set.of("mariadb:" + version))
                && mysql.serves(version));
  }
}
