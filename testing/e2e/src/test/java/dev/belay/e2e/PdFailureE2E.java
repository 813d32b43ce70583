package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.demo.World;
import dev.belay.demo.WriteLoad;
import dev.belay.e2e.Audit.Deletion;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** PD with a member that is dead before the upgrade begins, and an upgrade that is reverted. */
@ExtendWith(Arena.Provider.class)
class PdFailureE2E {

  @Test
  void a_dead_member_at_the_bottom_is_waited_for_and_nobody_else_is_touched(Arena arena) {
    try (Place place = arena.place("pd-bottom");
        PdCluster pd = PdE2E.deployed(place);
        var load = WriteLoad.start(pd.endpoints(), "e2e/pd", World.RATE)) {
      BelayView belay = place.adopted("pd");
      pd.lead("pd-1");
      pd.ruin("pd-0").killed();
      place.await("pd-0 is not ready", () -> place.ready() == 2);
      Map<String, String> before = place.uids();

      place.kubectl("set", "image", "sts/pd", "pd=pd:" + PdCluster.NEW);
      place.await(
          "Belay says why",
          () -> Set.of("EveryGroupSurvives", "BrokenMemberOutOfOrder").contains(belay.rule()));
      assertThat(place.uids())
          .containsEntry("pd-1", before.get("pd-1"))
          .containsEntry("pd-2", before.get("pd-2"));

      Instant repaired = Instant.now();
      pd.ruin("pd-0").repaired();
      finishes(place, belay, pd, PdCluster.NEW, load);
      assertThat(new Audit(arena.sandbox().auditLog()).podDeletions("pd-bottom"))
          .filteredOn(d -> !d.pod().equals("pd-0"))
          .as("nobody else went before it was back")
          .hasSize(2)
          .allMatch(d -> d.at().isAfter(repaired));
    }
  }

  @Test
  void a_dead_member_at_the_top_is_replaced_first_and_nobody_else_before_it_serves(Arena arena) {
    try (Place place = arena.place("pd-top");
        PdCluster pd = PdE2E.deployed(place);
        var load = WriteLoad.start(pd.endpoints(), "e2e/pd", World.RATE)) {
      BelayView belay = place.adopted("pd");
      pd.lead("pd-1");
      pd.ruin("pd-2").killed();
      place.await("pd-2 is not ready", () -> place.ready() == 2);
      Map<String, String> before = place.uids();

      place.kubectl("set", "image", "sts/pd", "pd=pd:" + PdCluster.NEW);
      place.await(
          "pd-2 is replaced",
          () -> !before.get("pd-2").equals(place.uids().getOrDefault("pd-2", before.get("pd-2"))));
      place.await(
          "Belay names it", () -> belay.is("Error") && belay.sentence().startsWith("pd-2 waits"));
      assertThat(place.uids())
          .containsEntry("pd-0", before.get("pd-0"))
          .containsEntry("pd-1", before.get("pd-1"));

      pd.ruin("pd-2").repaired();
      // What has failed is not tried again unasked, whatever it was that made it fail.
      place.patch("pd", "\"requests\":{\"retry\":\"repaired\"}");
      finishes(place, belay, pd, PdCluster.NEW, load);
    }
  }

  @Test
  void an_upgrade_that_is_reverted_midway_goes_back(Arena arena) {
    try (Place place = arena.place("pd-back");
        PdCluster pd = PdE2E.deployed(place);
        var load = WriteLoad.start(pd.endpoints(), "e2e/pd", World.RATE)) {
      BelayView belay = place.adopted("pd");
      pd.lead("pd-0");
      place.await(
          "it is known what to go back to",
          () -> belay.status().orElseThrow().currentVersion() != null);

      place.kubectl("set", "image", "sts/pd", "pd=pd:" + PdCluster.NEW);
      place.await("the first one is new", () -> pd.versions().containsValue("v" + PdCluster.NEW));
      place.kubectl("set", "image", "sts/pd", "pd=pd:" + PdCluster.OLD);
      finishes(place, belay, pd, PdCluster.OLD, load);
    }
  }

  @Test
  void killed_while_leadership_moves_it_goes_on_and_forced_it_helps_a_pd_that_is_down(Arena arena) {
    try (Place place = arena.place("pd-down");
        PdCluster pd = PdE2E.deployed(place);
        var leaders = PdLeaders.of(pd);
        var load = WriteLoad.start(pd.endpoints(), "e2e/pd", World.RATE)) {
      BelayView belay = place.adopted("pd");
      pd.lead("pd-2");
      place.killOperatorIn(
          belay,
          "move leadership from pd-2",
          () -> place.kubectl("set", "image", "sts/pd", "pd=pd:" + PdCluster.NEW));
      place.await(
          "all members are new", () -> belay.phase().equals("Idle") && pd.serves(PdCluster.NEW));
      List<Deletion> deletions = new Audit(arena.sandbox().auditLog()).podDeletions("pd-down");
      assertThat(deletions).extracting(Deletion::pod).containsExactly("pd-2", "pd-1", "pd-0");
      for (Deletion deletion : deletions) {
        assertThat(leaders.before(deletion.at()).orElseThrow().pd())
            .as("who led PD before %s", deletion)
            .isNotEqualTo(deletion.pod());
      }

      withoutQuorum(place, belay, pd);
      finishes(place, belay, pd, PdCluster.NEW, load);
    }
  }

  /** No gate can be passed; the new template may be the repair, and a person says so. */
  private static void withoutQuorum(Place place, BelayView belay, PdCluster pd) {
    pd.ruin("pd-0").killed();
    pd.ruin("pd-1").killed();
    place.await("nobody is ready", () -> place.ready() == 0);
    Map<String, String> before = place.uids();
    Instant changed = Instant.now();
    place.kubectl(
        "patch",
        "sts",
        "pd",
        "-p",
        "{\"spec\":{\"template\":{\"metadata\":{\"annotations\":{\"attempt\":\"2\"}}}}}");
    place.await("Belay says why it waits", () -> belay.rule().equals("EveryGroupSurvives"));
    assertThat(place.uids()).isEqualTo(before);

    Instant forced = Instant.now();
    place.kubectl("annotate", "stc", "pd", "belay.dev/force-rolling-update=true");
    place.await(
        "everyone is replaced, and it is said who wanted it",
        () ->
            belay.is("Forced")
                && place.uids().size() == 3
                && before.entrySet().stream()
                    .noneMatch(e -> e.getValue().equals(place.uids().get(e.getKey()))));
    assertThat(belay.status().orElseThrow().forced().by()).isEqualTo(Arena.PERSON);
    pd.ruin("pd-0").repaired();
    pd.ruin("pd-1").repaired();
    place.await(
        "it was for one roll-out",
        () -> belay.phase().equals("Idle") && !belay.is("Forced") && place.ready() == 3);
    assertThat(place.kubectl("get", "stc", "pd", "-o", "jsonpath={.metadata.annotations}"))
        .doesNotContain("force-rolling-update");
    assertThat(belay.status().orElseThrow().history().getFirst().forcedBy())
        .isEqualTo(Arena.PERSON);
    assertThat(new Audit(place.arena().sandbox().auditLog()).podDeletions(place.namespace()))
        .filteredOn(d -> d.at().isAfter(changed))
        .as("nobody went before it was forced")
        .isNotEmpty()
        .allMatch(d -> d.at().isAfter(forced));
  }

  private static void finishes(
      Place place, BelayView belay, PdCluster pd, String version, WriteLoad load) {
    place.await(
        "all members are on " + version, () -> belay.phase().equals("Idle") && pd.serves(version));
    WriteLoad.Verdict verdict = load.verify();
    assertThat(verdict.lost()).isZero();
    assertThat(verdict.acknowledged()).isPositive();
  }
}
