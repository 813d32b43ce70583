package dev.belay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.belay.core.driver.WayBack;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Spec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** The resource says in JSON what core means, both ways. */
class MappingTest {

  private static final Instant NOW = Instant.parse("2026-11-16T10:00:00.123456789Z");

  @Test
  void the_ten_lines_become_a_spec_with_every_default() {
    Spec spec =
        Mapping.spec(
            cluster(
                """
                components:
                - name: etcd
                  workload: {name: my-etcd}
                  driver: {type: etcd}
                """));
    assertThat(spec)
        .isEqualTo(
            new Spec(
                Spec.Trigger.TEMPLATE,
                Optional.empty(),
                List.of(
                    new Spec.ComponentSpec(
                        "etcd",
                        "my-etcd",
                        Optional.empty(),
                        Map.of(),
                        "etcd",
                        "{pod}",
                        new Spec.Rollout(Duration.ZERO, Duration.ofMinutes(10), 0, false))),
                Optional.empty()));
  }

  @Test
  void every_field_of_the_spec_arrives() {
    StatefulCluster cluster =
        cluster(
            """
            trigger: Version
            version: 3.6.16
            requests: {approve: 3.6.16/etcd/leader}
            components:
            - name: etcd
              workload: {kind: StatefulSet, name: my-etcd}
              version: v3.6.17-r1
              images: {etcd: "example/etcd:{version}"}
              driver:
                type: etcd
                port: 12379
                address: PodIP
                memberName: "m-{pod}"
                tls: {secretName: t, caKey: a, certKey: b, keyKey: c, serverName: d}
                auth: {secretName: u, usernameKey: e, passwordKey: f}
              rollout: {soak: 1m30s, readyTimeout: 500ms, tolerateUnhealthy: 1, allowDowntime: true}
            """);
    assertThat(Mapping.spec(cluster))
        .isEqualTo(
            new Spec(
                Spec.Trigger.VERSION,
                Optional.of("3.6.16"),
                List.of(
                    new Spec.ComponentSpec(
                        "etcd",
                        "my-etcd",
                        Optional.of("v3.6.17-r1"),
                        Map.of("etcd", "example/etcd:{version}"),
                        "etcd",
                        "m-{pod}",
                        new Spec.Rollout(Duration.ofSeconds(90), Duration.ofMillis(500), 1, true))),
                Optional.of("3.6.16/etcd/leader")));
    DriverSpec driver = cluster.getSpec().components().getFirst().driver();
    assertThat(driver.portOrDefault()).isEqualTo(12379);
    assertThat(driver.addressOrDefault()).isEqualTo(DriverSpec.Address.POD_IP);
    assertThat(driver.tls()).isEqualTo(new DriverSpec.Tls("t", "a", "b", "c", "d"));
    assertThat(driver.auth()).isEqualTo(new DriverSpec.Auth("u", "e", "f"));
  }

  @Test
  void a_time_that_is_none_is_refused_with_field_value_and_cure() {
    for (String text : List.of("-5s", "5", "25h", "1d", "", "99999999999h", "24h1ms", "10 s")) {
      assertThatThrownBy(() -> Durations.parse("spec.x.soak", text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("spec.x.soak")
          .hasMessageContaining("\"" + text + "\"")
          .hasMessageContaining("write it like 500ms");
    }
    assertThat(Durations.parse("soak", "24h")).isEqualTo(Duration.ofHours(24));
    assertThat(Durations.parse("soak", "1h0m1s5ms")).isEqualTo(Duration.ofMillis(3601005));
  }

  @Test
  void memory_survives_status_and_json() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(3);
    for (int i = 0; i < 300; i++) {
      Memory memory = i == 0 ? Memory.EMPTY : memory(random);
      StatefulCluster cluster = cluster("components: []");
      cluster.setStatus(StatusMapping.status(report(memory, List.of()), cluster, NOW));
      String json = Serialization.asJson(cluster);
      StatefulCluster read = Serialization.unmarshal(json, StatefulCluster.class);
      assertThat(read.getStatus()).as(json).isEqualTo(cluster.getStatus());
      assertThat(Mapping.memory(read)).as(json).isEqualTo(memory);
      assertThat(Serialization.asJson(read)).isEqualTo(json);
    }
  }

  @Test
  void a_cluster_never_seen_before_has_no_memory() {
    assertThat(Mapping.memory(cluster("components: []"))).isEqualTo(Memory.EMPTY);
  }

  @Test
  void a_status_edited_by_hand_is_refused_with_the_field() {
    StatefulCluster cluster = cluster("components: []");
    cluster.setStatus(
        Serialization.unmarshal(
            "{\"blockedBy\": {\"rule\": \"R\", \"since\": \"yesterday\"}}",
            StatefulClusterStatus.class));
    assertThatThrownBy(() -> Mapping.memory(cluster))
        .hasMessageContaining("status.blockedBy.since")
        .hasMessageContaining("yesterday");
  }

  @Test
  void fields_of_a_newer_belay_are_passed_over() {
    StatefulCluster read =
        Serialization.unmarshal(
            """
            apiVersion: belay.dev/v1alpha1
            kind: StatefulCluster
            metadata: {name: x}
            spec:
              future: 1
              components: [{name: a, workload: {name: b, future: 1}, driver: {type: none, future: 1}}]
            status: {future: 1, owner: {id: a@b, future: 1}, components: [{name: a, future: {x: 1}}]}
            """,
            StatefulCluster.class);
    assertThat(Mapping.spec(read).components()).hasSize(1);
    assertThat(Mapping.memory(read).owner().orElseThrow().install()).isEqualTo("a");
  }

  @Test
  void the_generic_reader_finds_the_type() {
    Object read =
        Serialization.unmarshal(
            "{\"apiVersion\": \"belay.dev/v1alpha1\", \"kind\": \"StatefulCluster\"}");
    assertThat(read).isInstanceOf(StatefulCluster.class);
  }

  @Test
  void a_condition_keeps_its_time_while_its_status_stays() {
    StatefulCluster cluster = cluster("components: []");
    cluster.getMetadata().setGeneration(4L);
    var ready = new Report.Condition("Ready", "True", "AllServe", "3 of 3");
    var stalled = new Report.Condition("Stalled", "False", "Moving", "");
    cluster.setStatus(
        StatusMapping.status(report(Memory.EMPTY, List.of(ready, stalled)), cluster, NOW));
    assertThat(cluster.getStatus().conditions())
        .allSatisfy(c -> {
          assertThat(c.getLastTransitionTime()).isEqualTo("2026-11-16T10:00:00Z");
          assertThat(c.getObservedGeneration()).isEqualTo(4L);
        });
    cluster.getMetadata().setGeneration(5L);
    var later =
        StatusMapping.status(
            report(
                Memory.EMPTY,
                List.of(
                    new Report.Condition("Ready", "True", "AllServe", "other words"),
                    new Report.Condition("Stalled", "True", "LeaderMovesFirst", ""))),
            cluster,
            NOW.plusSeconds(60));
    assertThat(later.conditions())
        .extracting("type", "lastTransitionTime", "observedGeneration", "message")
        .containsExactly(
            tuple("Ready", "2026-11-16T10:00:00Z", 5L, "other words"),
            tuple("Stalled", "2026-11-16T10:01:00Z", 5L, ""));
  }

  @Test
  void the_report_is_counted_and_named() {
    StatefulCluster cluster = cluster("components: []");
    var held =
        Optional.of(
            new Report.Blocked("EveryGroupSurvives", "etcd-0", "2 of 3", NOW, "etcd-0 back"));
    var report =
        new Report(
            Phase.WAITING,
            "3.5.35",
            "3.6.16",
            List.of(
                new Report.ComponentReport(
                    "etcd",
                    Phase.WAITING,
                    "3.5.35",
                    "3.6.16",
                    "Policy",
                    3,
                    List.of(
                        member("etcd-0", 0, false, false, held),
                        member("etcd-1", 1, false, true, Optional.empty()),
                        member("etcd-2", 2, true, true, Optional.empty())))),
            held,
            "",
            WayBack.unknown("etcd-0 did not answer"),
            List.of(),
            "",
            Memory.EMPTY);
    StatefulClusterStatus status = StatusMapping.status(report, cluster, NOW);
    assertThat(status.phase()).isEqualTo("Waiting");
    assertThat(status.updated()).isEqualTo("1/3");
    assertThat(status.ready()).isEqualTo("2/3");
    assertThat(status.currentReplicas()).isEqualTo(2);
    assertThat(status.members().ready()).containsExactly("etcd-1", "etcd-2");
    assertThat(status.members().unready()).containsExactly("etcd-0");
    assertThat(status.waitingFor()).isNull();
    assertThat(status.requests()).isNull();
    assertThat(status.wayBack().floor()).isEqualTo("unknown");
    assertThat(status.blockedBy().cure()).isEqualTo("etcd-0 back");
    assertThat(status.components().getFirst().members().getFirst().heldBy().rule())
        .isEqualTo("EveryGroupSurvives");
  }

  private static Report.MemberReport member(
      String pod, int ordinal, boolean updated, boolean ready, Optional<Report.Blocked> held) {
    return new Report.MemberReport(
        pod, "uid", ordinal, "rev", updated, ready, "3.5.35", "follower", true, "true", held);
  }

  private static Report report(Memory memory, List<Report.Condition> conditions) {
    return new Report(
        Phase.IDLE,
        "",
        "",
        List.of(),
        Optional.empty(),
        "",
        WayBack.open(""),
        conditions,
        "",
        memory);
  }

  private static StatefulCluster cluster(String spec) {
    var cluster = new StatefulCluster();
    cluster.getMetadata().setName("db");
    cluster.setSpec(Serialization.unmarshal(spec, StatefulClusterSpec.class));
    return cluster;
  }

  private static Memory memory(RandomGenerator random) {
    var components = new HashMap<String, Memory.ComponentMemory>();
    for (int i = random.nextInt(3); i > 0; i--) {
      var serving = new HashMap<String, Instant>();
      for (int p = random.nextInt(4); p > 0; p--) {
        serving.put(word(random), time(random));
      }
      components.put(
          "c" + i,
          new Memory.ComponentMemory(
              random.nextBoolean(),
              maybe(random, new Memory.Good(word(random), word(random))),
              maybe(random, new Memory.Target(word(random), word(random), time(random))),
              serving,
              maybe(random, new Memory.Written(word(random), Map.of("etcd", word(random)))),
              random.nextBoolean() ? Map.of() : Map.of("settled.3.6.9", word(random))));
    }
    return new Memory(
        maybe(random, new Memory.Owner(word(random), word(random), word(random), random.nextInt())),
        maybe(
            random,
            new Memory.RecordedStep(
                word(random),
                word(random),
                word(random),
                new Memory.Fence(word(random), word(random), word(random)),
                time(random),
                random.nextInt(9))),
        random.nextLong(1L << 40),
        components,
        maybe(random, new Memory.Blocked(word(random), word(random), time(random))));
  }

  private static <T> Optional<T> maybe(RandomGenerator random, T value) {
    return random.nextBoolean() ? Optional.of(value) : Optional.empty();
  }

  private static String word(RandomGenerator random) {
    var words = List.of("", "a", "etcd-7d9f", "with \"quotes\"", "ünïcode: {x}", "3.6.1", "true");
    return words.get(random.nextInt(words.size()));
  }

  private static Instant time(RandomGenerator random) {
    return Instant.ofEpochSecond(random.nextLong(1L << 32), random.nextInt(1_000_000_000));
  }
}
