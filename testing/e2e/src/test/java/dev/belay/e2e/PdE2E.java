package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.demo.World;
import dev.belay.demo.WriteLoad;
import dev.belay.e2e.Audit.Deletion;
import dev.belay.e2e.PdCluster.Leaders;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Three real PD members, as the example has them, go on by a year under load. */
@ExtendWith(Arena.Provider.class)
class PdE2E {

  @Test
  void a_year_of_pd_on_without_losing_a_write(Arena arena) {
    try (Place place = arena.place("pd");
        PdCluster pd = deployed(place);
        var pods = new PodHistory(arena.client(), "pd");
        var leaders = PdLeaders.of(pd);
        var load = WriteLoad.start(pd.endpoints(), "e2e/pd", World.RATE)) {
      BelayView belay = place.adopted("pd");
      // The first one to be replaced leads.
      pd.lead("pd-2");

      place.kubectl("set", "image", "sts/pd", "pd=pd:" + PdCluster.NEW);
      place.await("the upgrade begins", () -> belay.is("Upgrading"));
      place.await(
          "the upgrade ends", () -> belay.phase().equals("Idle") && pd.serves(PdCluster.NEW));

      assertThat(pods.lives()).isEqualTo(Map.of("pd-0", 2, "pd-1", 2, "pd-2", 2));
      List<Deletion> deletions = new Audit(arena.sandbox().auditLog()).podDeletions("pd");
      assertThat(deletions.stream().map(Deletion::pod).distinct())
          .containsExactly("pd-2", "pd-1", "pd-0");
      for (Deletion deletion : deletions) {
        Leaders before = leaders.before(deletion.at()).orElseThrow();
        assertThat(before.pd()).as("who led PD before %s", deletion).isNotEqualTo(deletion.pod());
        assertThat(before.etcd()).as("who led etcd before %s", deletion).isEqualTo(before.pd());
      }
      assertThat(belay.events())
          .anySatisfy(e -> assertThat(e.getMessage()).contains("move leadership from pd-2 to"));
      WriteLoad.Verdict verdict = load.verify();
      assertThat(verdict.lost()).isZero();
      assertThat(verdict.acknowledged()).isPositive();
      System.out.printf(
          "PdE2E: %d writes acknowledged, %d lost, longest gap %d ms%n",
          verdict.acknowledged(), verdict.lost(), load.figures().longestGap().toMillis());
    }
  }

  /** The example as it is, serving. */
  static PdCluster deployed(Place place) {
    place.kubectl("apply", "-f", "examples/pd.yaml");
    var pd = new PdCluster(place);
    place.await("three members serve", () -> pd.serves(PdCluster.OLD));
    return pd;
  }
}
