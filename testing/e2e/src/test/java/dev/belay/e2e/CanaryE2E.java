package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Workload;
import dev.belay.demo.Await;
import dev.belay.demo.BelayView;
import dev.belay.demo.EtcdCluster;
import dev.belay.demo.Kubectl;
import dev.belay.demo.World;
import dev.belay.demo.WriteLoad;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Installs of Belay side by side, by helm, as pods: the five test cases and the seven steps of the
 * canary proposal of tidb-operator, and what ends an install.
 */
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
class CanaryE2E {

  /** The duration of a Lease, two seconds, and as much again for a busy machine. */
  private static final Duration LEASE = Duration.ofSeconds(15);

  private static final Duration EXPIRED = LEASE.plusSeconds(2).multipliedBy(2);

  private static Arena arena;
  private static Release v1;
  private static Release v2;

  @BeforeAll
  static void installed() {
    arena = Arena.empty();
    Release.images(arena);
    v1 = Release.install(arena, "belay-v1", "labelSelector=managed-by=v1", "replicas=1");
    arena.kubectl().awaitStatefulClusters(Arena.LIMIT);
    v2 = second("belay-v2", "labelSelector=managed-by=v2", "replicas=1");
    v1.awaitRunning(Release.OLD, 1);
    v2.awaitRunning(Release.OLD, 1);
  }

  @AfterAll
  static void closed() {
    arena.close();
  }

  /** Beside v1, which has the CRD and the policies. Each major version of helm has a part. */
  private static Release second(String name, String... values) {
    return Release.installByHelm4(
        arena,
        name,
        Stream.concat(Stream.of("shared.create=false"), Stream.of(values)).toArray(String[]::new));
  }

  /** Each test has clusters of its own. */
  @Nested
  @Order(1)
  class SideBySide {

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void the_seven_steps_of_the_example_lose_no_write_and_restart_no_pod_by_themselves() {
      try (Place place = arena.place("seven-steps");
          EtcdCluster etcd = place.etcd();
          var load = WriteLoad.start(etcd.endpoints(), "e2e/seven-steps", World.RATE)) {
        // Without a selector it takes every cluster of its namespaces.
        Release old = second("belay-old", "namespaces={seven-steps}", "replicas=1");
        var orders = CanaryCluster.etcd(place);
        orders.awaitIdleUnder(old);
        Map<String, String> lives = orders.lives();

        // Steps 1 and 2: every old cluster gets a label, and the old install acts on these only.
        orders.label("old");
        long epoch = orders.epoch();
        old.upgrade("labelSelector=managed-by=old");
        place.await("the process with the selector acts", () -> orders.epoch() > epoch);
        orders.awaitIdleUnder(old);
        place.await(
            "the label on the workload",
            () -> "old".equals(orders.labels().get(CanaryCluster.LABEL)));
        assertThat(orders.lives()).isEqualTo(lives);

        // Steps 3, 4 and 5: the new install has a new cluster, and is tried on it.
        var fresh = CanaryCluster.tiny(place, "fresh", 2, "v2");
        fresh.awaitIdleUnder(v2);
        fresh.image("2.0");
        fresh.awaitImage("2.0");

        // Step 6, at rest, there and back.
        orders.label("v2");
        orders.awaitIdleUnder(v2);
        orders.label("old");
        orders.awaitIdleUnder(old);
        assertThat(orders.lives()).isEqualTo(lives);
        assertThat(orders.partitionWriters()).isEmpty();

        // Step 6, midway.
        place.kubectl("set", "image", "sts/etcd", "etcd=etcd:" + World.NEXT);
        place.await(
            "the first member is replaced",
            () ->
                !place.deleted().stream()
                    .filter(pod -> pod.startsWith("etcd-"))
                    .toList()
                    .isEmpty());
        orders.label("v2");
        orders.awaitOwner(v2);
        assertThat(replaced(place)).as("before the handover").hasSizeLessThan(World.MEMBERS);
        place.await(
            "the upgrade ends",
            () ->
                orders.belay().phase().equals("Idle")
                    && EtcdCluster.serving(etcd.members(), World.MEMBERS, World.NEXT));
        WriteLoad.Verdict verdict = load.verify();
        System.out.printf(
            "seven steps: %d writes acknowledged, %d lost, longest gap %d ms%n",
            verdict.acknowledged(), verdict.lost(), load.figures().longestGap().toMillis());
        assertThat(verdict.lost()).isZero();
        assertThat(verdict.acknowledged()).isPositive();
        assertThat(replaced(place))
            .as("each once")
            .containsExactlyInAnyOrder("etcd-0", "etcd-1", "etcd-2");
        assertThat(orders.partitionWriters()).contains(old.account(), v2.account());
        assertThat(place.audit().mostTakenDown("seven-steps")).isEqualTo(1);

        // Step 7, and test case 5: the other install goes on.
        Map<String, String> upgraded = orders.lives();
        old.uninstall();
        assertThat(old.pods()).isEmpty();
        fresh.image("3.0");
        fresh.awaitImage("3.0");
        assertThat(orders.lives()).isEqualTo(upgraded);
        assertThat(orders.isOwnedBy(v2)).isTrue();
      }
    }

    private static List<String> replaced(Place place) {
      return place.deleted().stream().filter(pod -> pod.startsWith("etcd-")).toList();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void case_1_without_a_selector_an_install_manages_every_cluster_of_its_namespaces() {
      try (Place place = arena.place("case-1")) {
        Release all = second("belay-all", "namespaces={case-1}", "replicas=1");
        upgraded(place, "any");
        var red = CanaryCluster.tiny(place, "red", 2, "any");
        var blue = CanaryCluster.tiny(place, "blue", 1, "other");
        red.awaitIdleUnder(all);
        blue.awaitIdleUnder(all);

        red.image("2.0");
        blue.image("2.0");
        red.awaitImage("2.0");
        blue.awaitImage("2.0");

        assertThat(red.partitionWriters()).containsExactly(all.account());
        assertThat(blue.partitionWriters()).containsExactly(all.account());
        // Before the namespace goes, and the roles in it.
        Rights.assertUsed(all, List.of(all), Rights.ASKED_ONCE);
      }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void case_2_an_install_manages_only_clusters_that_its_selector_matches() {
      try (Place place = arena.place("case-2")) {
        var red = CanaryCluster.tiny(place, "red", 2, "v1");
        var blue = CanaryCluster.tiny(place, "blue", 1, "none");
        red.awaitIdleUnder(v1);
        Map<String, String> lives = red.lives();
        assertThat(blue.belay().status()).isEmpty();
        assertThat(blue.mark()).isEmpty();
        assertThat(status(place, "blue")).contains("no operator has written a status yet");

        red.label("none");
        red.awaitReleased();
        assertThat(status(place, "red")).contains("no operator acts on it");
        for (Release release : List.of(v1, v2)) {
          for (String cluster : List.of("red", "blue")) {
            release.await(
                "a metric of " + cluster, () -> release.metrics().contains(unmanaged(cluster)));
          }
        }
        red.label("v1");
        red.awaitIdleUnder(v1);
        v1.await("red is managed", () -> !v1.metrics().contains(unmanaged("red")));
        assertThat(red.lives()).isEqualTo(lives);
      }
    }

    /** What a person sees. */
    private static String status(Place place, String cluster) {
      return new Kubectl(
              arena.repository().file("bin/belay"),
              arena.sandbox().adminKubeconfig(),
              arena.repository().root())
          .run("status", cluster, "-n", place.namespace())
          .replaceAll("\\s+", " ");
    }

    private static String unmanaged(String cluster) {
      return "belay_cluster_unmanaged{namespace=\"case-2\",cluster=\"%s\"} 1".formatted(cluster);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void case_3_two_releases_upgrade_their_own_clusters_at_the_same_time() {
      try (Place place = arena.place("case-3")) {
        var red = CanaryCluster.tiny(place, "red", 2, "v1");
        var blue = CanaryCluster.tiny(place, "blue", 2, "v2");
        red.awaitIdleUnder(v1);
        blue.awaitIdleUnder(v2);

        red.image("2.0");
        blue.image("2.0");
        red.awaitImage("2.0");
        blue.awaitImage("2.0");

        assertThat(red.partitionWriters()).containsExactly(v1.account());
        assertThat(blue.partitionWriters()).containsExactly(v2.account());
        assertThat(place.deleted()).containsExactlyInAnyOrder("red-0", "red-1", "blue-0", "blue-1");
        // The policies guard the clusters of both.
        for (String set : List.of("red", "blue")) {
          String changed =
              place.kubectl(
                  "patch",
                  "sts",
                  set,
                  "--type=merge",
                  "-p",
                  "{\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"by\":\"hand\"}}}}}",
                  "--dry-run=server",
                  "-o",
                  "jsonpath={.spec.updateStrategy.rollingUpdate.partition}");
          assertThat(changed).isEqualTo(String.valueOf(Workload.FROZEN));
        }
      }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void case_4_the_label_goes_to_the_set_but_not_to_its_pods() {
      try (Place place = arena.place("case-4")) {
        var red = CanaryCluster.tiny(place, "red", 2, "v1");
        red.awaitIdleUnder(v1);
        Map<String, String> lives = red.lives();
        long generation = red.set().getMetadata().getGeneration();
        place.await("the label of v1", () -> "v1".equals(red.labels().get(CanaryCluster.LABEL)));

        red.label("v2");

        red.awaitIdleUnder(v2);
        place.await("the label of v2", () -> "v2".equals(red.labels().get(CanaryCluster.LABEL)));
        assertThat(red.set().getMetadata().getGeneration()).isEqualTo(generation);
        assertThat(red.lives()).isEqualTo(lives);
        assertThat(red.pods().values())
            .allSatisfy(pod ->
                assertThat(pod.getMetadata().getLabels()).doesNotContainKey(CanaryCluster.LABEL));
      }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void belay_itself_is_upgraded_midway_and_another_replica_takes_over() {
      try (Place place = arena.place("own-upgrade")) {
        Release up = second("belay-up", "labelSelector=managed-by=up", "replicas=2");
        var red = CanaryCluster.tiny(place, "red", 3, "up");
        red.awaitIdleUnder(up);
        up.awaitRunning(Release.OLD, 2);
        place.kubectl("annotate", "pod", "red-1", "belay.dev/hold=true");
        red.image("2.0");
        place.await("one member is new", () -> red.belay().rule().equals("PodIsNotHeld"));
        Map<String, String> lives = red.lives();
        long epoch = red.epoch();

        up.upgrade("image.tag=" + Release.NEW);
        up.awaitRunning(Release.NEW, 2);
        place.await("the new version acts", () -> red.epoch() > epoch);

        assertThat(red.lives()).isEqualTo(lives);
        place.kubectl("annotate", "pod", "red-1", "belay.dev/hold-");
        red.awaitImage("2.0");
        assertThat(place.deleted()).containsExactly("red-2", "red-1", "red-0");
        assertThat(place.audit().mostTakenDown("own-upgrade")).isEqualTo(1);

        Duration stopped = takeover(up, red, up::delete);
        assertThat(stopped).as("the Lease was released, it did not expire").isLessThan(LEASE);
        up.awaitRunning(Release.NEW, 2);
        Duration killed = takeover(up, red, up::kill);
        assertThat(killed).isLessThan(EXPIRED);
        System.out.printf(
            "another replica acts %d ms after SIGTERM, %d ms after SIGKILL%n",
            stopped.toMillis(), killed.toMillis());
        assertThat(red.pods().keySet()).allSatisfy(pod -> assertThat(place.restarts(pod)).isZero());
        assertThat(place.deleted()).hasSize(3);
      }
    }

    private static Duration takeover(Release release, CanaryCluster cluster, Consumer<String> end) {
      long epoch = cluster.epoch();
      String leader = release.leader().orElseThrow();
      long began = System.nanoTime();
      end.accept(leader);
      release.await("another replica acts", () -> cluster.epoch() > epoch);
      return Duration.ofNanos(System.nanoTime() - began);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void uninstalled_at_rest_and_midway_nothing_is_left_and_no_pod_restarts() {
      try (Place place = arena.place("uninstalled")) {
        Release left = second("belay-left", "labelSelector=managed-by=left", "replicas=1");
        uninstall(place, left, "left");
      }
    }
  }

  /** One cluster is idle, the other is midway of an upgrade. */
  private static void uninstall(Place place, Release release, String label) {
    var rest = CanaryCluster.tiny(place, "rest", 2, label);
    var midway = CanaryCluster.tiny(place, "midway", 3, label);
    rest.awaitIdleUnder(release);
    midway.awaitIdleUnder(release);
    place.kubectl("annotate", "pod", "midway-1", "belay.dev/hold=true");
    midway.image("2.0");
    place.await("one member is new", () -> midway.belay().rule().equals("PodIsNotHeld"));
    Map<String, String> before = lives(rest, midway);

    release.uninstall();

    for (CanaryCluster cluster : List.of(rest, midway)) {
      assertThat(cluster.labels()).doesNotContainKeys("belay.dev/cluster", CanaryCluster.LABEL);
      assertThat(cluster.annotations()).doesNotContainKey("belay.dev/owner");
      assertThat(
              place.kubectl("get", "stc", cluster.name(), "-o", "jsonpath={.metadata.finalizers}"))
          .isEmpty();
    }
    assertThat(rest.partition()).as("the next template rolls again").isZero();
    assertThat(midway.partition()).as("the members that are left stay").isPositive();
    place.await(
        "an event says how to go on",
        () -> place.kubectl("get", "events").contains("kubectl patch statefulset midway"));
    place.kubectl("delete", "stc", "rest", "midway", "--timeout=60s");
    assertThat(lives(rest, midway)).isEqualTo(before);
    assertThat(place.deleted()).as("all that ever went").containsExactly("midway-2");
  }

  private static Map<String, String> lives(CanaryCluster one, CanaryCluster two) {
    Map<String, String> lives = new TreeMap<>(one.lives());
    lives.putAll(two.lives());
    return lives;
  }

  /** With what the tests above asked the API server for. */
  @Nested
  @Order(2)
  class Granted {

    @Test
    void every_right_of_an_install_of_the_whole_cluster_is_used() {
      try (Place place = arena.place("granted")) {
        upgraded(place, "v1");
        Rights.assertUsed(v1, List.of(v1, v2), Set.of());
      }
    }
  }

  /** A set with OnDelete, one with a partition, and a Deployment: each needs rights of its own. */
  private static void upgraded(Place place, String label) {
    TinySystem.upgrade(place, "1.0", "1.0-store", "1.0");
    place.await("all members of the system", () -> systemRuns(place, "1.0"));
    var applied = place.apply(TinySystem.cluster(""));
    assertThat(applied.ok()).as(applied.output()).isTrue();
    place.kubectl("label", "stc", "system", CanaryCluster.LABEL + "=" + label);
    BelayView belay = place.adopted("system");
    TinySystem.upgrade(place, "2.0", "2.0-store", "2.0");
    place.await(
        "the system is upgraded", () -> belay.phase().equals("Idle") && systemRuns(place, "2.0"));
  }

  private static boolean systemRuns(Place place, String version) {
    List<Pod> pods =
        place.pods().values().stream()
            .filter(p -> TinySystem.ORDER.contains(p.getMetadata().getLabels().get("app")))
            .toList();
    return pods.size() == TinySystem.PODS
        && pods.stream()
            .allMatch(p ->
                PodHistory.serves(p)
                    && p.getSpec()
                        .getContainers()
                        .getFirst()
                        .getImage()
                        .startsWith("tiny:" + version));
  }

  /** Each of these stops something that all installs need. */
  @Nested
  @Order(3)
  @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
  class Alone {

    @Test
    @Order(1)
    void an_API_server_that_is_away_for_30_s_restarts_no_operator() {
      try (Place place = arena.place("outage")) {
        var red = CanaryCluster.tiny(place, "red", 3, "v1");
        red.awaitIdleUnder(v1);
        place.kubectl("annotate", "pod", "red-1", "belay.dev/hold=true");
        red.image("2.0");
        place.await("one member is new", () -> red.belay().rule().equals("PodIsNotHeld"));
        Map<String, Long> processes = processes();

        arena.sandbox().controlPlane().stopApiServer(true);
        Await.pause(Duration.ofSeconds(30));
        arena.sandbox().controlPlane().startApiServer();

        place.kubectl("annotate", "pod", "red-1", "belay.dev/hold-");
        // The StatefulSet controller notices only up to a minute later that it may go on.
        place.await("the next member is released", () -> red.partition() == 1);
        assertThat(processes()).isEqualTo(processes);
        assertThat(v1.restarts() + v2.restarts()).isZero();
        assertThat(place.deleted()).startsWith("red-2");
      }
    }

    private static Map<String, Long> processes() {
      Map<String, Long> processes = new TreeMap<>(v1.processes());
      processes.putAll(v2.processes());
      return processes;
    }

    /** The release that created the CRD goes, and leaves it. */
    @Test
    @Order(2)
    void uninstalled_without_policies_the_parked_sets_are_left_as_they_were() {
      try (Place place = arena.place("parked")) {
        arena.kubectl().run("delete", "-f", "deploy/shared/guard.yaml");
        arena.kubectl().run("apply", "-f", "deploy/shared/guard-parked.yaml");
        uninstall(place, v1, "v1");
      }
    }
  }
}
