package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.demo.EtcdCluster;
import dev.belay.demo.World;
import dev.belay.demo.WriteLoad;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Groups that are not of three: real etcd, written to all the time. */
@ExtendWith(Arena.Provider.class)
@Execution(ExecutionMode.CONCURRENT)
class SizesE2E {

  private static final String CLUSTER =
      """
      apiVersion: belay.dev/v1alpha1
      kind: StatefulCluster
      metadata: {name: etcd}
      spec:
        components:
        - name: etcd
          workload: {name: etcd}
          driver: {type: etcd}
          rollout: {%s}
      """;

  @Test
  void larger_groups_lose_one_at_a_time_and_no_write(Arena arena) {
    losesOneAtATime(5, arena);
  }

  @Tag("matrix")
  @Test
  void a_group_of_four_loses_one_at_a_time_and_no_write(Arena arena) {
    losesOneAtATime(4, arena);
  }

  private static void losesOneAtATime(int members, Arena arena) {
    try (Place place = arena.place("etcd-of-" + members);
        EtcdCluster etcd = place.etcd(members, "")) {
      BelayView belay = adopted(place, "soak: 0s");

      assertThat(upgraded(arena, place, etcd, belay, 0)).isEqualTo(1);
    }
  }

  @Test
  void groups_that_cannot_lose_a_member_wait_until_downtime_is_allowed(Arena arena) {
    waitsUntilDowntimeIsAllowed(2, arena);
  }

  @Tag("matrix")
  @Test
  void a_single_member_waits_until_downtime_is_allowed(Arena arena) {
    waitsUntilDowntimeIsAllowed(1, arena);
  }

  private static void waitsUntilDowntimeIsAllowed(int members, Arena arena) {
    try (Place place = arena.place("etcd-of-" + members);
        EtcdCluster etcd = place.etcd(members, "")) {
      BelayView belay = adopted(place, "soak: 0s");
      Map<String, String> uids = place.uids();
      place.kubectl("set", "image", "sts/etcd", "etcd=etcd:" + World.NEXT);

      place.await("it is held", () -> belay.rule().equals("EveryGroupSurvives"));

      assertThat(belay.sentence()).contains("allowDowntime");
      assertThat(place.uids()).isEqualTo(uids);
      String allow =
          """
          [{"op": "add", "path": "/spec/components/0/rollout/allowDowntime", "value": true}]
          """;
      place.kubectl("patch", "stc", "etcd", "--type=json", "-p", allow);
      assertThat(upgraded(arena, place, etcd, belay, 0)).isEqualTo(1);
    }
  }

  @Tag("matrix")
  @ParameterizedTest
  @CsvSource({"5, 2", "7, 3"})
  void batches_are_as_large_as_the_quorum_survives(int members, int batch, Arena arena) {
    try (Place place = arena.place("batches-of-" + members);
        EtcdCluster etcd = place.etcd(members, "updateStrategy: {type: OnDelete}")) {
      // More than the quorum could bear is asked for.
      BelayView belay = adopted(place, "strategy: OnDelete, maxUnavailable: " + (members - 1));

      // Slow to be ready: whoever may go at the same time has gone long before.
      assertThat(upgraded(arena, place, etcd, belay, 15)).isEqualTo(batch);
    }
  }

  private static BelayView adopted(Place place, String rollout) {
    var applied = place.apply(CLUSTER.formatted(rollout));
    assertThat(applied.ok()).as(applied.output()).isTrue();
    return place.adopted("etcd");
  }

  /**
   * How many were taken down at the same time.
   *
   * @param delay seconds before a new member can be ready
   */
  private static int upgraded(
      Arena arena, Place place, EtcdCluster etcd, BelayView belay, int delay) {
    int members = place.pods().size();
    try (var pods = new PodHistory(arena.client(), place.namespace());
        var load = WriteLoad.start(etcd.endpoints(), "e2e/" + place.namespace(), World.RATE)) {
      place.kubectl(
          "patch",
          "sts",
          "etcd",
          "--type=json",
          "-p",
          """
          [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "etcd:%s"},
           {"op": "add", "path": "/spec/template/spec/containers/0/readinessProbe/initialDelaySeconds", "value": %d}]
          """
              .formatted(World.NEXT, delay));
      place.await(
          "all is new",
          () ->
              belay.phase().equals("Idle")
                  && EtcdCluster.serving(etcd.members(), members, World.NEXT));
      WriteLoad.Verdict verdict = load.verify();
      System.out.printf(
          "%s: %d writes acknowledged, %d lost, longest gap %d ms%n",
          place.namespace(),
          verdict.acknowledged(),
          verdict.lost(),
          load.figures().longestGap().toMillis());
      assertThat(verdict.lost()).isZero();
      assertThat(verdict.acknowledged()).isPositive();
      assertThat(pods.lives().values()).as("lives of each pod").containsOnly(2);
      return pods.mostTakenDown();
    }
  }
}
