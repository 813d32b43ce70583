package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.demo.Kubectl;
import dev.belay.e2e.Audit.Deletion;
import dev.belay.e2e.PravegaCluster.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Real Pravega, as the example has it, goes from 0.11 to 0.12, back, to 0.12 again, and from there
 * to where there is no way back from, while events are written and read back. One life for all of
 * it: to be born takes Pravega longer than most of what happens to it here.
 */
@ExtendWith(Arena.Provider.class)
class PravegaE2E {

  private static final String NO_WAY_BACK =
      "spec.upgrade.paths declares 0.12.0 to 0.13.0 irreversible";

  @Test
  void from_release_to_release_in_order_and_no_way_back_is_said_before_and_after(Arena arena) {
    try (Place place = arena.place("pravega");
        PravegaCluster pravega = PravegaCluster.deployed(place)) {
      BelayView belay = place.adopted(PravegaCluster.NAME);
      aDeadStoreAtTheTopIsReplacedAndGoesBack(place, pravega, belay);
      aDeadBookieAtTheBottomIsWaitedFor(arena, place, belay);
      thereIsAWayBackFrom012(place, pravega, belay);
      place.kubectl("annotate", "pod", "segmentstore-0", "belay.dev/hold=true");
      thePlanSaysWhatClosesIt(arena, place, belay);
      itIsRefusedAfterwards(arena, place, pravega, belay);
      place.kubectl("annotate", "pod", "segmentstore-0", "belay.dev/hold-");
      ended(place, pravega, belay, "0.13.0");

      // Broken as it was, bookie-0 may have been made anew once before.
      assertThat(deleted(arena)).containsSubsequence("bookie-1", "bookie-0", "segmentstore-1");
      assertThat(deleted(arena))
          .filteredOn(pod -> !pod.equals("bookie-0"))
          .containsExactly(
              "segmentstore-1",
              "segmentstore-1",
              "bookie-2",
              "bookie-1",
              "segmentstore-1",
              "segmentstore-0",
              "controller",
              "segmentstore-1",
              "segmentstore-0",
              "controller");
      nothingIsLost(pravega);
    }
  }

  /** Stopped, it answers nobody, and its containers go to the other one. */
  private static void aDeadStoreAtTheTopIsReplacedAndGoesBack(
      Place place, PravegaCluster pravega, BelayView belay) {
    place.kubectl("annotate", "pod", "segmentstore-0", "belay.dev/hold=true");
    Map<String, String> before = place.uids();
    pravega.signal("segmentstore-1", "STOP");
    place.patch(PravegaCluster.NAME, "\"version\":\"0.12.0\"");
    place.await("it goes", () -> pravega.isGoing("segmentstore-1"));
    // What is stopped cannot end, and its grace is a minute.
    pravega.signal("segmentstore-1", "KILL");
    place.await(
        "the dead one is new, the other is held",
        () ->
            "pravega:0.12.0".equals(pravega.images().get("segmentstore-1"))
                && belay.rule().equals("PodIsNotHeld"));
    pravega.awaitTraffic();

    place.patch(PravegaCluster.NAME, "\"version\":\"0.11.0\"");
    place.await(
        "it is back on 0.11",
        () ->
            belay.phase().equals("Idle")
                && "pravega:0.11.0".equals(pravega.images().get("segmentstore-1")));
    pravega.awaitTraffic();
    assertThat(place.uids()).containsEntry("segmentstore-0", before.get("segmentstore-0"));
    assertThat(belay.status().orElseThrow().currentVersion()).isEqualTo("0.11.0");
    place.kubectl("annotate", "pod", "segmentstore-0", "belay.dev/hold-");
  }

  private static void aDeadBookieAtTheBottomIsWaitedFor(Arena arena, Place place, BelayView belay) {
    var ruin = new Ruin(place, "bookie-0", "/current/VERSION");
    ruin.killed();
    place.await("bookie-0 is not ready", () -> !place.isReady("bookie-0"));
    to012(place);
    place.await("a person is needed", () -> belay.rule().equals("BrokenMemberOutOfOrder"));
    assertThat(belay.sentence()).startsWith("bookie-0 waits");
    assertThat(deleted(arena)).doesNotContain("bookie-2", "bookie-1");
    // What Belay changes for a bookie is on record when the operator dies, and taken back.
    place.killOperatorIn(belay, "make bookie-2 read-only before it goes down", ruin::repaired);
  }

  private static void to012(Place place) {
    place.kubectl(
        "patch",
        "stc",
        PravegaCluster.NAME,
        "--type=json",
        "-p",
        """
        [{"op": "replace", "path": "/spec/version", "value": "0.12.0"},
         {"op": "replace", "path": "/spec/components/0/version", "value": "4.18.0"}]
        """);
  }

  private static void thereIsAWayBackFrom012(Place place, PravegaCluster pravega, BelayView belay) {
    place.await(
        "a segment store is new",
        () -> "pravega:0.12.0".equals(pravega.images().get("segmentstore-1")));
    assertThat(belay.status().orElseThrow().wayBack().floor()).isNull();
    ended(place, pravega, belay, "0.12.0");
    assertThat(belay.status().orElseThrow().components()).allMatch(c -> c.owes().isEmpty());
    assertThat(pravega.writableBookies()).isEqualTo(3);
  }

  private static void thePlanSaysWhatClosesIt(Arena arena, Place place, BelayView belay) {
    String closes = "release segmentstore-1; from then on there is no way back: " + NO_WAY_BACK;
    assertThat(words(belay(arena, "plan", "--to", "0.13.0")))
        .contains(closes)
        .containsOnlyOnce(NO_WAY_BACK);
    place.patch(PravegaCluster.NAME, "\"version\":\"0.13.0\"");
    place.await(
        "approval is asked for",
        () -> "0.13.0/segmentstore/irreversible".equals(belay.status().orElseThrow().waitingFor()));
    assertThat(belay.sentence()).contains(NO_WAY_BACK);
    assertThat(belay.status().orElseThrow().plan()).contains(closes);
  }

  private static void itIsRefusedAfterwards(
      Arena arena, Place place, PravegaCluster pravega, BelayView belay) {
    assertThat(belay(arena, "approve").ok()).isTrue();
    place.await("one is new, the other is held", () -> belay.rule().equals("PodIsNotHeld"));
    pravega.awaitTraffic();

    Kubectl.Result refused = belay(arena, "rollback");
    assertThat(refused.exitCode()).isEqualTo(4);
    assertThat(words(refused)).contains("there is no way back").contains(NO_WAY_BACK);
    // Nor does it help to write the request past the command.
    place.patch(PravegaCluster.NAME, "\"requests\":{\"rollback\":\"please\"}");
    place.await("it says why not", () -> belay.rule().equals("WayBackIsOpen"));
    assertThat(belay.sentence()).contains("no way back below 0.13.0: " + NO_WAY_BACK);
    assertThat(pravega.images())
        .containsAllEntriesOf(
            Map.of("segmentstore-1", "pravega:0.13.0", "segmentstore-0", "pravega:0.12.0"));
    place.patch(PravegaCluster.NAME, "\"requests\":{\"rollback\":null}");
  }

  private static void ended(Place place, PravegaCluster pravega, BelayView belay, String version) {
    String image = "pravega:" + version;
    for (String pod : List.of("segmentstore-1", "segmentstore-0", "controller")) {
      place.await(pod + " runs " + version, () -> image.equals(pravega.images().get(pod)));
    }
    place.await("it is done", () -> belay.phase().equals("Idle"));
    assertThat(belay.status().orElseThrow().currentVersion()).isEqualTo(version);
    assertThat(pravega.images().values()).containsOnly(image, "bookkeeper:4.18.0");
    pravega.awaitTraffic();
  }

  private static Kubectl.Result belay(Arena arena, String... words) {
    var arguments = new ArrayList<>(List.of(words));
    arguments.addAll(1, List.of(PravegaCluster.NAME, "-n", "pravega"));
    return new Kubectl(
            arena.repository().file("bin/belay"),
            arena.sandbox().adminKubeconfig(),
            arena.repository().root())
        .attempt(arguments.toArray(String[]::new));
  }

  /** As one line: a terminal breaks it where it likes. */
  private static String words(Kubectl.Result result) {
    return result.output().replaceAll("\\s+", " ");
  }

  private static List<String> deleted(Arena arena) {
    return new Audit(arena.sandbox().auditLog())
        .podDeletions("pravega").stream()
            .map(Deletion::pod)
            .map(pod -> pod.startsWith("controller-") ? "controller" : pod)
            .toList();
  }

  private static void nothingIsLost(PravegaCluster pravega) {
    Figures figures = pravega.verify();
    System.out.printf(
        "PravegaE2E: %d events acknowledged, %d lost, %d twice, longest gap %d ms%n",
        figures.acknowledged(), figures.lost(), figures.twice(), figures.longestGap().toMillis());
    assertThat(figures.acknowledged()).isPositive();
    assertThat(figures.lost()).isZero();
    assertThat(figures.twice()).isZero();
  }
}
