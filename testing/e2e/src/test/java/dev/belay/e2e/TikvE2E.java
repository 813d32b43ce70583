package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.e2e.Audit.Deletion;
import dev.belay.e2e.TikvCluster.Store;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Three stores that real PD takes for TiKV, as the example has them, go to another version. */
@ExtendWith(Arena.Provider.class)
class TikvE2E {

  /** Whoever dies between the two leaves a store that may not lead. */
  @Test
  void leaders_leave_each_store_before_it_goes_whoever_dies_meanwhile(Arena arena) {
    try (Place place = arena.place("tikv");
        TikvCluster tikv = TikvCluster.deployed(place);
        var pods = new PodHistory(arena.client(), "tikv")) {
      BelayView belay = place.adopted("tikv");

      place.kubectl("set", "image", "sts/tikv", "tikv=tikv-stand-in:" + TikvCluster.NEW);
      place.await("leaders are moved off a store", () -> !tikv.evicted().isEmpty());
      arena.killOperator();
      place.await(
          "the upgrade ends", () -> belay.phase().equals("Idle") && tikv.serves(TikvCluster.NEW));

      List<Deletion> deletions = new Audit(arena.sandbox().auditLog()).podDeletions("tikv");
      assertThat(deletions.stream().map(Deletion::pod))
          .containsExactly("tikv-2", "tikv-1", "tikv-0");
      for (Deletion deletion : deletions) {
        Store before = tikv.before(deletion.at(), deletion.pod());
        assertThat(before.leaders()).as("regions led before %s", deletion).isZero();
        assertThat(tikv.whileAway(deletion.at(), deletion.pod()))
            .as("while %s is away", deletion.pod())
            .isNotEmpty()
            .allMatch(Store::evicted);
      }
      assertThat(pods.lives())
          .isEqualTo(
              Map.of("pd-0", 1, "pd-1", 1, "pd-2", 1, "tikv-0", 2, "tikv-1", 2, "tikv-2", 2));
      assertThat(belay.events())
          .anySatisfy(e -> assertThat(e.getMessage()).contains("move region leaders off tikv-1"))
          .anySatisfy(
              e -> assertThat(e.getMessage()).contains("let region leaders return to tikv-0"));
    }
  }
}
