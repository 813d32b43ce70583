package dev.belay.drivers.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member.Health;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdRulesTest {

  private static final Fact<Health> DOWN = Fact.known(Health.down("refuses connections"));

  /**
   * Every member on {@code from}, cluster version {@code agreed}; is {@code to} a legal template?
   */
  @ParameterizedTest(name = "{0} (cluster {1}) to {2}: {3}")
  @CsvSource({
    "3.5.35, 3.5.0, 3.6.16, ''",
    "3.5.35, 3.5.0, v3.6.16-debian-12-r3, ''",
    "3.5.26, 3.5.0, 3.6.16, ''",
    "3.5.25, 3.5.0, 3.6.16, HUMAN OneMinorAtATime",
    "3.5.35, 3.5.0, 3.7.3, HUMAN OneMinorAtATime",
    "3.5.35, 3.5.0, 4.0.0, HUMAN OneMinorAtATime",
    "3.6.16, 3.6.0, 3.6.1, ''",
    "3.6.1, 3.6.0, 3.6.16, ''",
    "3.6.16, 3.6.0, 3.5.35, HUMAN OneMinorAtATime",
    "3.6.16, 3.5.0, 3.5.35, ''",
    "3.7.3, 3.6.0, 3.5.35, HUMAN OneMinorAtATime",
    "3.6.16, 3.5.0, 3.7.3, WAIT ClusterVersionIsSettled",
    "3.6.16, 3.6.0, latest, HUMAN OneMinorAtATime",
  })
  void one_minor_at_a_time(String from, String agreed, String to, String expected) {
    List<String> objections =
        World.running(from, from, from).clusterVersion(agreed).notes(saved()).toTemplate(to);
    if (expected.isEmpty()) {
      assertThat(objections).isEmpty();
    } else {
      assertThat(objections).first().asString().startsWith(expected + ",");
    }
  }

  @Test
  void a_skipped_minor_is_told_with_the_way_round() {
    assertThat(
            World.running("3.5.35", "3.5.35", "3.5.35").clusterVersion("3.5.0").toTemplate("3.7.3"))
        .containsExactly(
            "HUMAN OneMinorAtATime, etcd-0 runs 3.5.35, 3.7.3 is more than one minor release on;"
                + " cure: go to 3.6 first");
  }

  @Test
  void every_version_alive_counts_when_the_target_changes_midway() {
    assertThat(
            World.running("3.5.35", "3.5.35", "3.6.16").clusterVersion("3.5.0").toTemplate("3.7.3"))
        .first()
        .asString()
        .contains("etcd-0 runs 3.5.35");
  }

  @Test
  void the_roll_out_goes_on_while_the_cluster_version_is_still_the_old_one() {
    var world = World.running("3.5.35", "3.5.35", "3.6.16").clusterVersion("3.5.0");
    assertThat(world.toRelease(1)).isEmpty();
  }

  @Test
  void the_way_back_is_open_until_the_cluster_version_moves() {
    var world = World.running("3.5.35", "3.5.35", "3.6.16").image("etcd:3.5.35");
    assertThat(world.clusterVersion("3.5.0").toRelease(2)).isEmpty();
    assertThat(world.clusterVersion("3.6.0").toRelease(2))
        .first()
        .asString()
        .contains("the cluster version is 3.6.0 on etcd-0: etcd refuses to start 3.5.35");
  }

  @Test
  void a_pod_that_already_runs_the_image_changes_no_version() {
    var world = World.running("3.5.35", "3.5.35", "3.5.35").image("quay.io/coreos/etcd:v3.5.35");
    assertThat(world.toRelease(2)).isEmpty();
    assertThat(world.image("quay.io/coreos/etcd:v3.7.3").toRelease(2)).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({"etcd:latest", "etcd", "etcd@sha256:0123", "registry:5000/etcd"})
  void an_image_without_a_version_needs_a_human(String image) {
    assertThat(World.running("3.5.35").clusterVersion("3.5.0").image(image).toRelease(0))
        .singleElement()
        .asString()
        .startsWith("HUMAN OneMinorAtATime, image of container etcd is \"" + image + "\"")
        .contains("cure: give a version");
  }

  @Test
  void a_silent_member_in_a_ready_pod_holds_a_hop() {
    var world =
        World.running("3.5.35", "3.5.35", "3.5.35")
            .clusterVersion("3.5.0")
            .unreadable(0, "no answer in 5 s");
    assertThat(world.toRelease(2))
        .containsExactly(
            "WAIT ClusterVersionIsSettled, unknown: cluster version of etcd-0: clusterVersion was"
                + " not read; cure: make it readable again");
  }

  @Test
  void a_broken_new_member_can_be_taken_back_although_it_cannot_be_read() {
    for (Fact<Health> seen : List.of(DOWN, Fact.<Health>unknown("the name does not resolve"))) {
      var world =
          World.running("3.5.35", "3.5.35", "3.6.99")
              .clusterVersion("3.5.0")
              .image("etcd:v3.5.35")
              .broken(2, seen);
      assertThat(world.toRecreate(2)).isEmpty();
      assertThat(world.toTemplate("3.5.35")).isEmpty();
    }
  }

  @Test
  void a_minority_cannot_tell_the_cluster_version() {
    var world =
        World.running("3.5.35", "3.5.35", "3.6.16")
            .clusterVersion("3.5.0")
            .image("etcd:v3.5.35")
            .broken(1, DOWN)
            .broken(2, DOWN);
    assertThat(world.toRecreate(2))
        .first()
        .asString()
        .contains("only 1 voters tell the cluster version, 2 are needed");
  }

  @Test
  void one_late_member_keeps_the_next_hop_waiting() {
    var world =
        World.running("3.6.16", "3.6.16", "3.6.16")
            .clusterVersion("3.6.0")
            .notes(saved())
            .reading(1, Readings.CLUSTER_VERSION, Fact.known("3.5.0"));
    assertThat(world.toTemplate("3.7.3"))
        .singleElement()
        .asString()
        .startsWith("WAIT ClusterVersionIsSettled, cluster version is 3.5.0 on etcd-1");
  }

  @Test
  void three_seven_needs_a_snapshot_of_every_member_before_the_first() {
    var world = settled().image("etcd:v3.7.3");
    world.notes(world.remembered());
    world.metrics(0, "1000.5", "1").metrics(2, "1000.5", "1");
    assertThat(world.toRelease(2))
        .singleElement()
        .asString()
        .startsWith(
            "WAIT OldLogIsBehindASnapshot, no raft snapshot saved on etcd-1 since the cluster"
                + " settled on 3.6; cure: at most --snapshot-count more writes (10,000 unless set)");
    assertThat(world.metrics(1, "1000.5", "1").toRelease(2)).isEmpty();
  }

  @Test
  void once_begun_each_member_answers_for_itself() {
    var world = World.running("3.6.16", "3.6.16", "3.7.3").clusterVersion("3.6.0");
    world.image("etcd:v3.7.3");
    world.notes(List.of(World.settled(0, "1000.5/0"), World.settled(1, "saved")));
    assertThat(world.toRelease(1)).isEmpty();
    assertThat(world.toRelease(0)).singleElement().asString().contains("saved on etcd-0 since");
  }

  @Test
  void unreadable_metrics_are_no_permission() {
    var world = settled();
    world.notes(world.remembered());
    world.reading(1, Readings.SNAPSHOTS_SAVED, Fact.unknown("/metrics answers 403"));
    world.metrics(0, "1000.5", "1").metrics(2, "1000.5", "1");
    assertThat(world.toTemplate("3.7.3"))
        .singleElement()
        .asString()
        .contains("OldLogIsBehindASnapshot, unknown: /metrics answers 403");
  }

  @Test
  void nothing_noted_yet_is_no_permission() {
    assertThat(settled().metrics(0, "9999", "5").toTemplate("3.7.3"))
        .singleElement()
        .asString()
        .contains("OldLogIsBehindASnapshot, unknown: the cluster was not yet seen settled on 3.6");
  }

  @Test
  void steps_that_bring_no_version_are_nobodys_business() {
    var world = World.running("3.5.35").clusterVersion("3.5.0").image("etcd:v3.7.3");
    assertThat(world.objections(new Step.Freeze("etcd", World.FENCE, "test"))).isEmpty();
    assertThat(world.objections(new Step.Rest("etcd", World.FENCE, 0))).isEmpty();
  }

  @Test
  void every_rule_says_what_it_protects_and_how_it_is_cured() {
    assertThat(EtcdRules.ALL)
        .allSatisfy(rule -> {
          assertThat(rule.reason().protects()).endsWith(".");
          assertThat(rule.reason().cure()).endsWith(".");
        });
    assertThat(
            World.running("3.5.1")
                .clusterVersion("3.5.0")
                .objections(new Step.SetTemplate("etcd", World.FENCE, "3.6.0", Map.of())))
        .allMatch(o -> o.weight() == Weight.HUMAN);
  }

  private static World settled() {
    return World.running("3.6.16", "3.6.16", "3.6.16").clusterVersion("3.6.0");
  }

  private static List<Note> saved() {
    return List.of(World.settled(0, "saved"), World.settled(1, "saved"), World.settled(2, "saved"));
  }
}
