package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.demo.BelayView;
import dev.belay.demo.WriteLoad;
import dev.belay.e2e.Audit.Deletion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Three real MariaDB servers, as the example has them, go from 10.11 to 11.4 under load. */
@ExtendWith(Arena.Provider.class)
class MysqlE2E {

  @Test
  void from_one_series_to_the_next_without_losing_a_row(Arena arena) throws Exception {
    try (Place place = arena.place("mysql");
        MysqlCluster mysql = MysqlCluster.deployed(place);
        var pods = new PodHistory(arena.client(), "mysql");
        var load = new MysqlLoad(mysql)) {
      BelayView belay = place.adopted("mysql");

      place.kubectl("set", "image", "sts/mysql", "mariadb=mariadb:" + MysqlCluster.NEW);
      place.await("the upgrade begins", () -> belay.is("Upgrading"));
      ended(place, mysql, belay);

      assertThat(pods.lives()).isEqualTo(Map.of("mysql-0", 2, "mysql-1", 2, "mysql-2", 2));
      neverAPrimary(arena, mysql, "mysql");
      assertThat(belay.events())
          .anySatisfy(e ->
              assertThat(e.getMessage())
                  .contains("make mysql-0 read-only so that mysql-1 can take over"));
      nothingIsLost("MysqlE2E", mysql, load, place);
    }
  }

  /** Whoever dies between the two statements leaves a cluster in which nobody can write. */
  @Test
  void an_operator_killed_in_the_middle_of_a_switchover_is_no_end_of_it(Arena arena)
      throws Exception {
    try (Place place = arena.place("mysql-killed");
        MysqlCluster mysql = MysqlCluster.deployed(place);
        var load = new MysqlLoad(mysql)) {
      BelayView belay = place.adopted("mysql");
      place.kubectl("set", "image", "sts/mysql", "mariadb=mariadb:" + MysqlCluster.NEW);
      place.await(
          "all answer, and nobody takes writes",
          () -> List.copyOf(mysql.readOnly().values()).equals(List.of("1", "1", "1")));
      arena.operator().kill();
      assertThat(onRecord(belay)).as("the hand-over that is owed").contains("can take over");
      arena.killOperator();
      ended(place, mysql, belay);

      neverAPrimary(arena, mysql, "mysql-killed");
      nothingIsLost("MysqlE2E, operator killed", mysql, load, place);
    }
  }

  /** The step that may have been carried out, and what the status says is owed. */
  private static String onRecord(BelayView belay) {
    StatefulClusterStatus status = belay.status().orElseThrow();
    return status.step() + " " + status.components().getFirst().owes();
  }

  private static void ended(Place place, MysqlCluster mysql, BelayView belay) {
    place.await(
        "the upgrade ends", () -> belay.phase().equals("Idle") && mysql.serves(MysqlCluster.NEW));
    assertThat(place.images()).isEqualTo(Set.of("mariadb:" + MysqlCluster.NEW));
  }

  static void neverAPrimary(Arena arena, MysqlCluster mysql, String namespace) {
    List<Deletion> deletions = new Audit(arena.sandbox().auditLog()).podDeletions(namespace);
    assertThat(deletions.stream().map(Deletion::pod).distinct())
        .containsExactly("mysql-2", "mysql-1", "mysql-0");
    for (Deletion deletion : deletions) {
      anotherTookWrites(mysql, deletion);
    }
  }

  static void anotherTookWrites(MysqlCluster mysql, Deletion deletion) {
    assertThat(mysql.primariesBefore(deletion.at()))
        .as("who took writes before %s", deletion)
        .singleElement()
        .isNotEqualTo(deletion.pod());
  }

  static void nothingIsLost(String who, MysqlCluster mysql, MysqlLoad load, Place place)
      throws InterruptedException {
    WriteLoad.Figures figures = load.figures();
    assertThat(mysql.doubles()).as("two writable primaries at one moment").isEmpty();
    assertThat(mysql.writable()).as("who takes writes in the end").hasSize(1);
    String primary = mysql.writable().getFirst();
    WriteLoad.Verdict verdict = load.verify(place.pods().get(primary).getStatus().getPodIP());
    System.out.printf(
        "%s: %d rows acknowledged, %d lost, longest gap %d ms%n",
        who, verdict.acknowledged(), verdict.lost(), figures.longestGap().toMillis());
    assertThat(verdict.acknowledged()).isPositive();
    assertThat(verdict.lost()).isZero();
    place.await("every server has every row", () -> Set.copyOf(mysql.rows().values()).size() == 1);
  }
}
