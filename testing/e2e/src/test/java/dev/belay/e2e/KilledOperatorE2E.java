package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.demo.Await;
import dev.belay.demo.BelayView;
import dev.belay.demo.EtcdCluster;
import dev.belay.demo.World;
import dev.belay.demo.WriteLoad;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An operator that dies again and again: whoever comes next goes on where it was. */
@ExtendWith(Arena.Provider.class)
class KilledOperatorE2E {

  private static final int KILLS = 10;

  /**
   * These come when a step was just recorded, the others when a new operator just took over. Of the
   * few steps of an upgrade some pass between two kills.
   */
  private static final Set<Integer> AT_A_STEP = Set.of(1, 4, 7);

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
          rollout: {soak: 5s}
      """;

  @Test
  void ends_the_same_and_restarts_nobody_twice(Arena arena) {
    long seed = Long.getLong("belay.seed", System.nanoTime());
    System.out.println("KilledOperatorE2E: -Dbelay.seed=" + seed);
    var random = new Random(seed);
    try (Place place = arena.place("killed");
        EtcdCluster etcd = place.etcd();
        var pods = new PodHistory(arena.client(), "killed");
        var load = WriteLoad.start(etcd.endpoints(), "e2e/killed", World.RATE)) {
      etcd.lead("etcd-2");
      assertThat(place.apply(CLUSTER).ok()).isTrue();
      BelayView belay = place.adopted("etcd");
      long steps = steps(belay);
      place.kubectl("set", "image", "sts/etcd", "etcd=etcd:" + World.NEXT);

      for (int kill = 1; kill <= KILLS; kill++) {
        if (AT_A_STEP.contains(kill)) {
          awaitStep(place, belay, steps, kill);
        }
        Await.pause(Duration.ofMillis(random.nextInt(200)));
        long epoch = epoch(belay);
        arena.killOperator();
        place.await("the next operator takes over", () -> epoch(belay) > epoch);
        steps = steps(belay);
      }

      place.await(
          "the upgrade ends",
          () ->
              belay.phase().equals("Idle")
                  && EtcdCluster.serving(etcd.members(), World.MEMBERS, World.NEXT));
      assertThat(pods.lives()).isEqualTo(Map.of("etcd-0", 2, "etcd-1", 2, "etcd-2", 2));
      WriteLoad.Verdict verdict = load.verify();
      assertThat(verdict.lost()).isZero();
      assertThat(verdict.acknowledged()).isPositive();
    }
  }

  private static void awaitStep(Place place, BelayView belay, long steps, int kill) {
    place.await(
        "a step before kill " + kill,
        () -> {
          boolean recorded = steps(belay) > steps;
          assertThat(recorded || !finished(belay)).as("under way before kill %d", kill).isTrue();
          return recorded;
        });
  }

  private static boolean finished(BelayView belay) {
    return belay
        .status()
        .filter(s -> "Idle".equals(s.phase()) && World.NEXT.equals(s.currentVersion()))
        .isPresent();
  }

  private static long steps(BelayView belay) {
    return number(belay, StatefulClusterStatus::steps);
  }

  private static long epoch(BelayView belay) {
    return number(belay, s -> s.owner() == null ? null : s.owner().epoch());
  }

  private static long number(BelayView belay, Function<StatefulClusterStatus, @Nullable Long> of) {
    return belay.status().map(s -> Objects.requireNonNullElse(of.apply(s), 0L)).orElse(0L);
  }
}
