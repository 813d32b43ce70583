package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.demo.WriteLoad;
import dev.belay.e2e.Audit.Deletion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
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

      neverALeader(tally, place, "tally-2", "tally-1", "tally-0");
      assertThat(belay.events())
          .anyMatch(e ->
              e.getReason().equals("TransferLeader") && e.getMessage().contains("from tally-2 to"));
      assertThat(tally.drains()).as("each was drained").hasSize(3).allMatch(d -> d.times() > 0);
      nobodyIsDrained(tally);
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
      tally.ruin("tally-2").killed();
      place.await("tally-2 is seen dead", () -> place.ready() == 2);

      image(place, "1.1");
      place.await(
          "it is replaced, and does not start",
          () -> belay.is("Error") && belay.sentence().startsWith("tally-2 waits"));
      assertThat(tally.drains()).as("who is dead is not drained").allMatch(d -> d.times() == 0);
      tally.ruin("tally-2").repaired();
      place.patch("tally", "\"requests\":{\"retry\":\"repaired\"}");
      ended(place, belay);

      neverALeader(tally, place, "tally-2", "tally-1", "tally-0");
      nobodyIsDrained(tally);
      nothingIsLost(load);
    }
  }

  @Test
  void dead_at_the_bottom_it_waits_killed_in_the_leaders_move_it_goes_on_reverted_it_goes_back(
      Arena arena) throws Exception {
    try (Place place = arena.place("http-back");
        TallyCluster tally = deployed(place);
        var load = new TallyLoad(tally)) {
      BelayView belay = place.adopted("tally");
      tally.lead("tally-2");
      tally.signal("tally-0", "STOP");
      place.await("tally-0 is seen dead", () -> place.ready() == 2);
      place.kubectl("annotate", "pod", "tally-0", "belay.dev/hold=true");
      Map<String, String> before = place.uids();

      image(place, "1.1");
      place.await(
          "Belay says why",
          () ->
              belay
                  .sentence()
                  .equals(
                      "tally-2 waits: EveryGroupSurvives, 2 of 3 voters healthy, 1 would remain, 2"
                          + " needed; cure: tally-0 back"));
      assertThat(place.uids()).isEqualTo(before);
      assertThat(belay.events()).noneMatch(e -> e.getReason().equals("TransferLeader"));

      place.kubectl("annotate", "pod", "tally-2", "belay.dev/hold=true");
      tally.signal("tally-0", "CONT");
      place.await("only the hold is left", () -> belay.rule().equals("PodIsNotHeld"));
      tally.lead("tally-2");
      place.killOperatorIn(
          belay,
          "move leadership from tally-2",
          () -> place.kubectl("annotate", "pod", "tally-2", "belay.dev/hold-"));
      place.await(
          "all but the one that is held are new",
          () -> belay.sentence().startsWith("tally-0 waits: PodIsNotHeld"));
      assertThat(place.imageByPod())
          .isEqualTo(
              Map.of("tally-0", "tally:1.0", "tally-1", "tally:1.1", "tally-2", "tally:1.1"));

      image(place, "1.0");
      place.await(
          "all are back",
          () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tally:1.0")));
      assertThat(place.uids()).containsEntry("tally-0", before.get("tally-0"));
      neverALeader(tally, place, "tally-2", "tally-1", "tally-2", "tally-1");
      nobodyIsDrained(tally);
      nothingIsLost(load);
    }
  }

  private static TallyCluster deployed(Place place) {
    place.kubectl("apply", "-f", "examples/http.yaml");
    return new TallyCluster(place);
  }

  private static void upgrade(Place place, BelayView belay) {
    image(place, "1.1");
    place.await("the roll-out begins", () -> belay.is("Upgrading"));
    ended(place, belay);
  }

  private static void ended(Place place, BelayView belay) {
    place.await(
        "the roll-out ends",
        () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tally:1.1")));
    assertThat(place.images()).isEqualTo(Set.of("tally:1.1"));
    assertThat(belay.status().orElseThrow().currentVersion()).isEqualTo("1.1");
  }

  private static void image(Place place, String version) {
    place.kubectl("set", "image", "sts/tally", "tally=tally:" + version);
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

  /** What was done is undone, and nothing is owed. */
  private static void nobodyIsDrained(TallyCluster tally) {
    assertThat(tally.drains()).hasSize(3).noneMatch(TallyCluster.Drain::drained);
  }

  /** A pod that was made anew at once counts once. */
  private static void neverALeader(TallyCluster tally, Place place, String... order) {
    List<Deletion> deletions =
        new Audit(place.arena().sandbox().auditLog()).podDeletions(place.namespace());
    List<String> pods = deletions.stream().map(Deletion::pod).toList();
    assertThat(
            IntStream.range(0, pods.size())
                .filter(i -> i == 0 || !pods.get(i).equals(pods.get(i - 1)))
                .mapToObj(pods::get))
        .containsExactly(order);
    for (Deletion deletion : deletions) {
      assertThat(tally.leaderBefore(deletion.at()))
          .as("who led before %s", deletion)
          .isPresent()
          .get()
          .isNotEqualTo(deletion.pod());
    }
  }
}
