package dev.belay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.belay.core.driver.WayBack;
import dev.belay.core.forecast.Outlook;
import dev.belay.core.model.Spec;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
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
                        Spec.Rollout.DEFAULT,
                        List.of())),
                Spec.Upgrade.DEFAULT,
                false,
                Spec.Requests.NONE,
                Spec.Force.NONE));
  }

  @Test
  void a_deployment_and_the_strategies_arrive() {
    Spec spec =
        Mapping.spec(
            cluster(
                """
                upgrade: {approval: BeforeComponent}
                components:
                - name: bookie
                  workload: {name: bookie}
                  driver: {type: none}
                  rollout: {strategy: OnDelete, maxUnavailable: 2}
                - name: store
                  workload: {name: store}
                  driver: {type: none}
                  rollout: {strategy: Partition}
                - name: controller
                  workload: {kind: Deployment, name: controller}
                  driver: {type: none}
                  rollout: {strategy: Native}
                """));
    assertThat(spec.upgrade().approval()).isEqualTo(Spec.Approval.BEFORE_COMPONENT);
    assertThat(spec.components())
        .extracting(c -> c.kind().toString(), c -> c.rollout().strategy().orElseThrow())
        .containsExactly(
            tuple("StatefulSet", Spec.Strategy.ON_DELETE),
            tuple("StatefulSet", Spec.Strategy.PARTITION),
            tuple("Deployment", Spec.Strategy.NATIVE));
    assertThat(spec.components())
        .extracting(c -> c.rollout().maxUnavailable())
        .containsExactly(2, 1, 1);
  }

  @Test
  void every_field_of_the_spec_arrives() {
    StatefulCluster cluster =
        cluster(
            """
            trigger: Version
            version: 3.6.16
            paused: true
            upgrade:
              onFailure: Rollback
              approval: BeforeIrreversible
              paths: [{from: 3.5.x, to: 3.6.x, irreversible: true}, {from: 3.6.x, to: 3.6.x}]
            requests: {approve: 3.6.16/etcd/leader, retry: a, rollback: b, abort: c}
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
              rollout:
                soak: 1m30s
                readyTimeout: 500ms
                progressDeadline: 2h
                tolerateUnhealthy: 1
                allowDowntime: true
            """);
    cluster
        .getMetadata()
        .setAnnotations(
            Map.of(
                Annotations.FORCE, "true",
                Annotations.FORCED_BY, "ann",
                Annotations.REQUESTED_BY, "bob",
                Annotations.APPROVED_BY, "cyd"));
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
                        new Spec.Rollout(
                            Duration.ofSeconds(90),
                            Duration.ofMillis(500),
                            Duration.ofHours(2),
                            1,
                            true),
                        List.of())),
                new Spec.Upgrade(
                    Spec.OnFailure.ROLLBACK,
                    Spec.Approval.BEFORE_IRREVERSIBLE,
                    List.of(
                        new Spec.Path("3.5.x", "3.6.x", true),
                        new Spec.Path("3.6.x", "3.6.x", false))),
                true,
                new Spec.Requests(
                    Optional.of("3.6.16/etcd/leader"),
                    Optional.of("a"),
                    Optional.of("b"),
                    Optional.of("c"),
                    "bob",
                    Optional.empty(),
                    "cyd"),
                new Spec.Force(true, "ann")));
    DriverSpec driver = cluster.getSpec().components().getFirst().driver();
    assertThat(driver.portOrDefault()).isEqualTo(12379);
    assertThat(driver.addressOrDefault()).isEqualTo(DriverSpec.Address.POD_IP);
    assertThat(driver.tls()).isEqualTo(new DriverSpec.Tls("t", "a", "b", "c", "d"));
    assertThat(driver.auth()).isEqualTo(new DriverSpec.Auth("u", "e", "f"));
  }

  @Test
  void a_service_becomes_an_address_that_its_driver_takes() {
    var mariadb =
        new MigrationsSpec.Database(null, "db", null, "shop", MigrationsSpec.Dialect.MARIADB, null);
    assertThat(mariadb.jdbc("prod"))
        .isEqualTo("jdbc:mariadb://db.prod.svc:3306/shop?sslMode=disable");
    var postgresql =
        new MigrationsSpec.Database(
            null, "db", 6432, "shop", MigrationsSpec.Dialect.POSTGRESQL, null);
    assertThat(postgresql.jdbc("prod")).isEqualTo("jdbc:postgresql://db.prod.svc:6432/shop");
  }

  @Test
  void every_word_of_approval_and_failure_arrives() {
    for (String word : List.of("None", "BeforeLeader", "BeforeIrreversible")) {
      Spec spec = Mapping.spec(cluster("components: []\nupgrade: {approval: " + word + "}"));
      assertThat(spec.upgrade().approval().name().replace("_", "")).isEqualToIgnoringCase(word);
      assertThat(spec.upgrade().onFailure()).isEqualTo(Spec.OnFailure.HOLD);
    }
  }

  @Test
  void only_true_forces_and_anything_else_is_warned_of() {
    for (String value : List.of("True", "yes", "1", "", "false")) {
      StatefulCluster cluster = cluster("components: []");
      cluster.getMetadata().setAnnotations(Map.of(Annotations.FORCE, value));
      assertThat(Mapping.spec(cluster).force()).as(value).isEqualTo(Spec.Force.NONE);
      assertThat(Mapping.warnings(cluster))
          .singleElement()
          .asString()
          .contains(Annotations.FORCE, "\"" + value + "\"", "only \"true\" counts", "remove it");
    }
    StatefulCluster forced = cluster("components: []");
    forced.getMetadata().setAnnotations(Map.of(Annotations.FORCE, "true"));
    assertThat(Mapping.spec(forced).force()).isEqualTo(new Spec.Force(true, ""));
    assertThat(Mapping.warnings(forced)).isEmpty();
    assertThat(Mapping.warnings(cluster("components: []"))).isEmpty();
  }

  @Test
  void a_stamp_without_what_it_signs_says_nothing() {
    StatefulCluster cluster = cluster("components: []");
    cluster
        .getMetadata()
        .setAnnotations(
            Map.of(
                Annotations.FORCED_BY, "ann",
                Annotations.REQUESTED_BY, "bob",
                Annotations.APPROVED_BY, "cyd"));
    assertThat(Mapping.spec(cluster).force()).isEqualTo(Spec.Force.NONE);
    assertThat(Mapping.spec(cluster).requests()).isEqualTo(Spec.Requests.NONE);
  }

  @Test
  void a_refused_revision_is_listed_with_its_component() {
    var refused =
        new Memory.Refused("r2", "3.6.16", Memory.Cause.ROLLED_BACK, "", "asked for", NOW, true);
    var memory =
        new Memory.ComponentMemory(
            true,
            Optional.empty(),
            Optional.empty(),
            Optional.of(refused),
            Map.of(),
            Set.of(),
            Optional.empty(),
            List.of(),
            Memory.Observed.NOTHING,
            List.of(),
            "");
    StatefulClusterStatus status =
        StatusMapping.status(
            report(components(Map.of("etcd", memory)), List.of()),
            Outlook.NONE,
            cluster("components: []"),
            NOW);
    assertThat(status.refused())
        .containsExactly(
            new StatefulClusterStatus.Refused(
                "etcd", "r2", "3.6.16", "RolledBack", null, "asked for", NOW.toString(), true));
  }

  @Test
  void a_roll_out_written_down_by_an_older_belay_goes_on() {
    StatefulCluster cluster = cluster("components: []");
    cluster.setStatus(
        Serialization.unmarshal(
            "{\"components\": [{\"name\": \"etcd\", \"target\": {\"revision\": \"r\", \"since\":"
                + " \"2026-11-16T10:00:00Z\"}}]}",
            StatefulClusterStatus.class));
    Instant since = Instant.parse("2026-11-16T10:00:00Z");
    assertThat(Mapping.memory(cluster).component("etcd").target())
        .contains(Memory.Target.begun("r", "", since, 0));
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
      Memory memory = i == 0 ? Memory.EMPTY : RandomMemory.of(random);
      StatefulCluster cluster = cluster("components: []");
      cluster.setStatus(
          StatusMapping.status(report(memory, List.of()), Outlook.NONE, cluster, NOW));
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
    for (var edited :
        Map.of(
                "{\"refused\": [{\"component\": \"etcd\", \"cause\": \"Tired\"}]}",
                "status.refused[etcd].cause: \"Tired\" is none of [Failed, RolledBack, Aborted]",
                "{\"upgrade\": {\"since\": \"2026-11-16T10:00:00Z\", \"waited\": \"long\"}}",
                "status.upgrade.waited: \"long\" is not a time")
            .entrySet()) {
      cluster.setStatus(Serialization.unmarshal(edited.getKey(), StatefulClusterStatus.class));
      assertThatThrownBy(() -> Mapping.memory(cluster))
          .hasMessageContaining(edited.getValue())
          .hasMessageContaining("remove what was edited by hand");
    }
  }

  @Test
  void a_recorded_step_without_kind_or_fence_is_refused() {
    StatefulCluster cluster = cluster("components: []");
    for (var edited :
        Map.of(
                "{\"kind\": \"Jump\"}",
                "status.step.kind: \"Jump\" is none of [Freeze, SetTemplate,",
                "{\"kind\": \"Release\"}",
                "status.step.fence.kind: \"\" is none of [StatefulSet, Deployment, Pod,",
                "{\"kind\": \"Migrate\", \"fence\": {\"kind\": \"Migration\", \"version\": \"x\"}}",
                "status.step.fence.version: \"x\" is not a number")
            .entrySet()) {
      cluster.setStatus(
          Serialization.unmarshal(
              "{\"step\": " + edited.getKey() + "}", StatefulClusterStatus.class));
      assertThatThrownBy(() -> Mapping.memory(cluster))
          .isInstanceOf(UnreadableStatus.class)
          .hasMessageContaining(edited.getValue());
    }
  }

  @Test
  void a_state_of_a_newer_form_is_refused_and_its_owner_is_still_known() {
    StatefulCluster cluster = cluster("components: []");
    cluster.setStatus(
        Serialization.unmarshal(
            "{\"stateVersion\": 2, \"owner\": {\"install\": \"belay\"}}",
            StatefulClusterStatus.class));
    assertThatThrownBy(() -> Mapping.memory(cluster))
        .isInstanceOf(UnreadableStatus.class)
        .hasMessageContaining("status.stateVersion: 2")
        .hasMessageContaining("fix: run the operator version that wrote it");
    assertThat(Mapping.owner(cluster).orElseThrow().install()).isEqualTo("belay");
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
            status: {future: 1, owner: {install: a, instance: b, future: 1}, components: [{name: a, future: {x: 1}}]}
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
        StatusMapping.status(
            report(Memory.EMPTY, List.of(ready, stalled)), Outlook.NONE, cluster, NOW));
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
            Outlook.NONE,
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
        Optional.of(new Report.Held("EveryGroupSurvives", "etcd-0", "2 of 3", "etcd-0 back"));
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
                        member("etcd-2", 2, true, true, Optional.empty())),
                    List.of("autorecovery on again"))),
            Optional.of(
                new Report.Blocked("EveryGroupSurvives", "etcd-0", "2 of 3", NOW, "etcd-0 back")),
            "",
            WayBack.unknown("etcd-0 did not answer"),
            List.of(),
            Memory.EMPTY);
    StatefulClusterStatus status = StatusMapping.status(report, Outlook.NONE, cluster, NOW);
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

  @Test
  void a_member_is_held_since_its_rule_does_and_nothing_ticks() {
    StatefulCluster cluster = cluster("components: []");
    var first = held("OneAtATime", "etcd-2 goes first");
    assertThat(heldSince(cluster, first, NOW)).isEqualTo(NOW.toString());

    Instant later = NOW.plusSeconds(60);
    var other = held("OneAtATime", "not available: etcd-2 (not ready)");
    assertThat(heldSince(cluster, other, later)).isEqualTo(NOW.toString());
    var moved = held("EveryGroupSurvives", "2 of 3");
    assertThat(heldSince(cluster, moved, later)).isEqualTo(later.toString());

    StatefulClusterStatus before = cluster.getStatus();
    heldSince(cluster, moved, later.plusSeconds(60));
    assertThat(cluster.getStatus()).isEqualTo(before);

    heldSince(cluster, Optional.empty(), later.plusSeconds(120));
    Instant again = later.plusSeconds(180);
    assertThat(heldSince(cluster, moved, again)).isEqualTo(again.toString());
  }

  private static Optional<Report.Held> held(String rule, String reading) {
    return Optional.of(new Report.Held(rule, "etcd-0", reading, "its turn comes"));
  }

  /** What the next status says of etcd-0, while another is held by another rule. */
  private static @Nullable String heldSince(
      StatefulCluster cluster, Optional<Report.Held> held, Instant now) {
    var other = Optional.of(new Report.Held("PodIsNotHeld", "etcd-1", "held", "take it away"));
    var report =
        new Report(
            Phase.WAITING,
            "",
            "",
            List.of(
                new Report.ComponentReport(
                    "etcd",
                    Phase.WAITING,
                    "",
                    "",
                    "Policy",
                    2,
                    List.of(
                        member("etcd-0", 0, false, true, held),
                        member("etcd-1", 1, false, true, other)),
                    List.of())),
            Optional.empty(),
            "",
            WayBack.open(""),
            List.of(),
            Memory.EMPTY);
    cluster.setStatus(StatusMapping.status(report, Outlook.NONE, cluster, now));
    List<ComponentStatus.Member> members = cluster.getStatus().components().getFirst().members();
    assertThat(members.getLast().heldBy().since()).isEqualTo(NOW.toString());
    var heldBy = members.getFirst().heldBy();
    return heldBy == null ? null : heldBy.since();
  }

  private static Report.MemberReport member(
      String pod, int ordinal, boolean updated, boolean ready, Optional<Report.Held> held) {
    return new Report.MemberReport(
        pod,
        "uid-of-" + pod,
        ordinal,
        "rev",
        updated,
        ready,
        "3.5.35",
        "follower",
        true,
        "true",
        held);
  }

  private static Report report(Memory memory, List<Report.Condition> conditions) {
    return new Report(
        Phase.IDLE, "", "", List.of(), Optional.empty(), "", WayBack.open(""), conditions, memory);
  }

  private static StatefulCluster cluster(String spec) {
    var cluster = new StatefulCluster();
    cluster.getMetadata().setName("db");
    cluster.setSpec(Serialization.unmarshal(spec, StatefulClusterSpec.class));
    return cluster;
  }

  private static Memory components(Map<String, Memory.ComponentMemory> components) {
    return new Memory(
        Optional.empty(),
        Optional.empty(),
        0,
        components,
        Optional.empty(),
        Memory.Handled.NONE,
        Optional.empty(),
        Optional.empty(),
        List.of());
  }
}
