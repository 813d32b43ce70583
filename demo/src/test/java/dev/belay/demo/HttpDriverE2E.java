package dev.belay.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.Arena.Place;
import dev.belay.demo.Audit.Deletion;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A system nobody wrote a driver for, described by examples/http.yaml as it is. */
@ExtendWith(Arena.Provider.class)
class HttpDriverE2E {

  @Test
  void a_declared_system_is_upgraded_under_load_and_its_leader_moves_first(Arena arena)
      throws Exception {
    try (Place place = arena.place("http");
        TallyCluster tally = deployed(place);
        var load = new TallyLoad(tally)) {
      BelayView belay = place.adopted("tally");
      tally.lead("tally-2");

      upgrade(place, belay);

      List<Deletion> deletions = deletions(arena, "http");
      assertThat(deletions)
          .extracting(Deletion::pod)
          .containsExactly("tally-2", "tally-1", "tally-0");
      for (Deletion deletion : deletions) {
        assertThat(tally.leaderBefore(deletion.at()))
            .as("who led before %s", deletion)
            .isPresent()
            .get()
            .isNotEqualTo(deletion.pod());
      }
      assertThat(belay.events())
          .anyMatch(e ->
              e.getReason().equals("TransferLeader") && e.getMessage().contains("from tally-2 to"));
      nothingIsLost(load);
    }
  }

  @Test
  void a_dead_member_at_the_top_is_replaced_first(Arena arena) throws Exception {
    try (Place place = arena.place("http-dead");
        TallyCluster tally = deployed(place);
        var load = new TallyLoad(tally)) {
      BelayView belay = place.adopted("tally");
      tally.lead("tally-1");
      freeze(arena, "http-dead", "tally-2");
      place.await("tally-2 is seen dead", () -> place.ready() == 2);

      upgrade(place, belay);

      List<Deletion> deletions = deletions(arena, "http-dead");
      assertThat(deletions)
          .extracting(Deletion::pod)
          .containsExactly("tally-2", "tally-1", "tally-0");
      for (Deletion deletion : deletions) {
        assertThat(tally.leaderBefore(deletion.at()))
            .as("who led before %s", deletion)
            .isPresent()
            .get()
            .isNotEqualTo(deletion.pod());
      }
      nothingIsLost(load);
    }
  }

  private static TallyCluster deployed(Place place) {
    place.kubectl("apply", "-f", "examples/http.yaml");
    return new TallyCluster(place);
  }

  private static void upgrade(Place place, BelayView belay) {
    place.kubectl("set", "image", "sts/tally", "tally=tally:1.1");
    place.await("the roll-out begins", () -> belay.is("Upgrading"));
    place.await("the roll-out ends", () -> belay.phase().equals("Idle"));
    assertThat(place.images()).isEqualTo(Set.of("tally:1.1"));
    assertThat(belay.status().orElseThrow().currentVersion()).isEqualTo("1.1");
  }

  private static void nothingIsLost(TallyLoad load) throws InterruptedException {
    WriteLoad.Figures figures = load.figures();
    WriteLoad.Verdict verdict = load.verify();
    System.out.println(
        "%d writes acknowledged, %d lost, longest gap %d ms"
            .formatted(verdict.acknowledged(), verdict.lost(), figures.longestGap().toMillis()));
    assertThat(verdict.acknowledged()).isPositive();
    assertThat(verdict.lost()).isZero();
  }

  /** SIGSTOP: the process stays, its connections stay, it answers nobody. */
  private static void freeze(Arena arena, String namespace, String pod)
      throws IOException, InterruptedException {
    long pid = arena.sandbox().pidOf(namespace, pod).orElseThrow();
    assertThat(new ProcessBuilder("kill", "-STOP", String.valueOf(pid)).start().waitFor()).isZero();
  }

  private static List<Deletion> deletions(Arena arena, String namespace) {
    return new Audit(arena.sandbox().auditLog()).podDeletions(namespace);
  }
}
