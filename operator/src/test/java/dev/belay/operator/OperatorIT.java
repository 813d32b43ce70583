package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.decide.Planner;
import dev.belay.core.forecast.Outlook;
import dev.belay.core.guard.Mark;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.loop.Loop.Recorded;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Report;
import dev.belay.core.report.Reporter;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.core.state.Step;
import dev.belay.drivers.Drivers;
import dev.belay.operator.act.KubernetesActor;
import dev.belay.operator.actions.UserActions;
import dev.belay.operator.migrations.UserMigrations;
import dev.belay.operator.observe.GuardProbe;
import dev.belay.operator.observe.KubernetesObserver;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.record.KubernetesRecorder;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The operator's three ports against a real API server, under its own account and the real guard.
 */
class OperatorIT {

  private static Rig rig;

  @BeforeAll
  static void start() {
    rig = Rig.start();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  private static KubernetesObserver observer() {
    return new KubernetesObserver(
        rig.operator,
        new Self("belay", "one", Rig.ACCOUNT),
        new GuardProbe(rig.operator),
        new DriverPool(rig.operator),
        Clock.systemUTC());
  }

  private static KubernetesActor actor() {
    return new KubernetesActor(
        rig.operator,
        new DriverPool(rig.operator),
        new UserActions(Clock.systemUTC(), () -> true, _ -> {}),
        new UserMigrations(rig.operator, "test", Clock.systemUTC(), _ -> {}),
        Clock.systemUTC());
  }

  private static Sight look(String namespace, String name) {
    return observer().observe(namespace, name).orElseThrow();
  }

  private static void adopt(String namespace, String name) {
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await(
          "adoption",
          () ->
              loop.turn(namespace, name).orElseThrow().turn().decision() instanceof Decision.Done);
    }
  }

  private static Fence.ObjectVersion fence(Sight sight) {
    Workload w = sight.snapshot().components().getFirst().workload().asOptional().orElseThrow();
    return new Fence.ObjectVersion(Fence.Kind.STATEFUL_SET, w.name(), w.uid(), w.resourceVersion());
  }

  private static void setImage(String namespace, String name, String image) {
    rig.admin
        .apps()
        .statefulSets()
        .inNamespace(namespace)
        .withName(name)
        .edit(s -> {
          s.getSpec().getTemplate().getSpec().getContainers().getFirst().setImage(image);
          return s;
        });
  }

  private static int partition(StatefulSet set) {
    return set.getSpec().getUpdateStrategy().getRollingUpdate().getPartition();
  }

  @Test
  void adoption_changes_nothing_of_a_settled_set_but_the_mark() {
    rig.namespace("adoption");
    rig.set("adoption", "app");
    StatefulSet before = rig.set("adoption", "app", true);
    List<String> uids =
        rig.admin.pods().inNamespace("adoption").list().getItems().stream()
            .map(p -> p.getMetadata().getUid())
            .sorted()
            .toList();
    rig.cluster("adoption", "app", "app");
    adopt("adoption", "app");

    StatefulSet after = rig.set("adoption", "app", true);
    assertThat(after.getSpec()).isEqualTo(before.getSpec());
    assertThat(after.getMetadata().getGeneration()).isEqualTo(before.getMetadata().getGeneration());
    assertThat(before.getMetadata().getAnnotations()).isNullOrEmpty();
    assertThat(after.getMetadata().getAnnotations()).containsOnlyKeys(Mark.ANNOTATION);
    assertThat(after.getMetadata().getLabels()).containsOnlyKeys(Mark.LABEL);
    assertThat(rig.admin.pods().inNamespace("adoption").list().getItems())
        .extracting(p -> p.getMetadata().getUid())
        .containsExactlyInAnyOrderElementsOf(uids);
    assertThat(rig.cluster("adoption", "app").getStatus().phase()).isEqualTo("Idle");
    assertThat(rig.cluster("adoption", "app").getMetadata().getFinalizers()).isEmpty();
  }

  @Test
  void a_status_that_cannot_be_read_is_said_to_be_so_until_it_can() {
    rig.namespace("edited");
    rig.set("edited", "app");
    rig.cluster("edited", "app", "app");
    adopt("edited", "app");
    var status =
        rig.admin
            .resources(StatefulCluster.class)
            .inNamespace("edited")
            .withName("app")
            .subresource("status");
    var merge = PatchContext.of(PatchType.JSON_MERGE);
    status.patch(merge, "{\"status\":{\"history\":[{\"outcome\":\"Odd\"}]}}");
    try (ClusterLoop loop = rig.loop("one")) {
      assertThatThrownBy(() -> loop.turn("edited", "app"))
          .isInstanceOf(IllegalArgumentException.class);
      var error = condition("edited", "Error");
      assertThat(error.getReason()).isEqualTo("InvalidSpec");
      assertThat(error.getMessage()).contains("status.history.since");

      status.patch(merge, "{\"status\":{\"history\":null}}");
      loop.turn("edited", "app");
      assertThat(condition("edited", "Error").getStatus()).isEqualTo("False");
    }
  }

  @Test
  void a_status_of_a_newer_operator_is_left_as_it_is() {
    rig.namespace("newer");
    rig.set("newer", "app");
    rig.cluster("newer", "app", "app");
    adopt("newer", "app");
    rig.admin
        .resources(StatefulCluster.class)
        .inNamespace("newer")
        .withName("app")
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":{\"stateVersion\":2}}");
    try (ClusterLoop loop = rig.loop("one")) {
      assertThatThrownBy(() -> loop.turn("newer", "app"))
          .hasMessageContaining("status.stateVersion: 2");
    }
    var error = condition("newer", "Error");
    assertThat(error.getReason()).isEqualTo("InvalidSpec");
    assertThat(error.getMessage()).contains("fix: run the operator version that wrote it");
    assertThat(rig.cluster("newer", "app").getStatus().stateVersion()).isEqualTo(2);
  }

  private static Condition condition(String namespace, String type) {
    return rig.cluster(namespace, "app").getStatus().conditions().stream()
        .filter(c -> c.getType().equals(type))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void a_settled_cluster_is_not_written_again() {
    rig.namespace("calm");
    rig.set("calm", "app");
    rig.cluster("calm", "app", "app");
    adopt("calm", "app");
    String version = rig.cluster("calm", "app").getMetadata().getResourceVersion();
    try (ClusterLoop loop = rig.loop("one")) {
      for (int i = 0; i < 10; i++) {
        loop.turn("calm", "app");
      }
    }
    assertThat(rig.cluster("calm", "app").getMetadata().getResourceVersion()).isEqualTo(version);
  }

  @Test
  void a_status_that_changed_meanwhile_is_a_conflict_and_nothing_is_written() {
    rig.namespace("conflict");
    rig.set("conflict", "app");
    rig.cluster("conflict", "app", "app");
    Sight stale = look("conflict", "app");
    adopt("conflict", "app");
    StatefulCluster before = rig.cluster("conflict", "app");

    var planner = new Planner(Drivers::policy);
    Report report =
        new Reporter(planner).report(stale.snapshot(), planner.decide(stale.snapshot()));
    Recorded recorded =
        new KubernetesRecorder(rig.operator)
            .record(stale.cluster(), report, Outlook.NONE, stale.snapshot().at());

    assertThat(recorded).isEqualTo(Recorded.CONFLICT);
    assertThat(rig.cluster("conflict", "app").getStatus()).isEqualTo(before.getStatus());
  }

  @Test
  void the_late_write_of_a_revoked_step_is_refused() {
    rig.namespace("late");
    rig.set("late", "app");
    rig.cluster("late", "app", "app");
    adopt("late", "app");
    setImage("late", "app", "app:2");
    rig.set("late", "app", true);
    Sight stalled = look("late", "app");
    var release = new Step.Release("app", fence(stalled), 2, "app-2");

    Acted revoked =
        actor().act(stalled, new Step.Revoke("app", fence(stalled), "1-1", release.what()));
    Acted late = actor().act(stalled, release);

    assertThat(revoked.accepted()).isTrue();
    assertThat(late.accepted()).isFalse();
    assertThat(late.detail()).contains("409");
    StatefulSet set = rig.set("late", "app", true);
    assertThat(partition(set)).isEqualTo(Workload.FROZEN);
    assertThat(set.getMetadata().getAnnotations()).containsEntry("belay.dev/revoked", "1-1");
  }

  @Test
  void a_pod_that_changed_meanwhile_is_not_deleted() {
    rig.namespace("recreate");
    rig.set("recreate", "app");
    rig.cluster("recreate", "app", "app");
    Sight seen = look("recreate", "app");
    var pod = seen.snapshot().components().getFirst().podList().getLast();
    var step =
        new Step.RecreatePod(
            "app",
            new Fence.ObjectVersion(Fence.Kind.POD, pod.name(), pod.uid(), "1"),
            pod.name(),
            pod.uid(),
            "test");

    assertThat(actor().act(seen, step).detail()).contains("409");
    assertThat(
            rig.admin
                .pods()
                .inNamespace("recreate")
                .withName(pod.name())
                .get()
                .getMetadata()
                .getUid())
        .isEqualTo(pod.uid());
    var fresh =
        new Step.RecreatePod(
            "app",
            new Fence.ObjectVersion(Fence.Kind.POD, pod.name(), pod.uid(), pod.resourceVersion()),
            pod.name(),
            pod.uid(),
            "test");
    assertThat(actor().act(seen, fresh).accepted()).isTrue();
  }

  @Test
  void a_template_is_written_frozen_in_one_request() {
    rig.namespace("template");
    rig.set("template", "app");
    rig.cluster("template", "app", "app");
    adopt("template", "app");
    Sight seen = look("template", "app");

    Acted acted =
        actor().act(seen, new Step.SetTemplate("app", fence(seen), "2", Map.of("app", "app:2")));

    assertThat(acted.accepted()).as(acted.detail()).isTrue();
    StatefulSet set = rig.set("template", "app", true);
    assertThat(partition(set)).isEqualTo(Workload.FROZEN);
    assertThat(set.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage())
        .isEqualTo("app:2");
  }

  @Test
  void who_writes_over_the_images_of_belay_is_named() {
    rig.namespace("owned");
    rig.set("owned", "app");
    rig.create(
        "owned",
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: app}
        spec:
          trigger: Version
          version: "1"
          components:
          - name: app
            workload: {name: app}
            images: {app: "app:{version}"}
            driver: {type: none}
        """);
    adopt("owned", "app");
    rig.admin
        .resources(StatefulCluster.class)
        .inNamespace("owned")
        .withName("app")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"version\":\"2\"}}");
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await("Belay wrote it and saw it", () -> hasWritten(loop, "owned", "2"));
      assertThat(image("owned")).isEqualTo("app:2");
      assertThat(writers("owned")).isEmpty();

      rig.admin
          .apps()
          .statefulSets()
          .inNamespace("owned")
          .withName("app")
          .patch(
              new PatchContext.Builder()
                  .withPatchType(PatchType.STRATEGIC_MERGE)
                  .withFieldManager("helm")
                  .build(),
              "{\"spec\":{\"template\":{\"spec\":{\"containers\":"
                  + "[{\"name\":\"app\",\"image\":\"app:3\"}]}}}}");
      assertThat(writers("owned")).isEqualTo(Map.of("app", "helm"));
      Rig.await(
          "it is said",
          () -> {
            loop.turn("owned", "app");
            var blocked = rig.cluster("owned", "app").getStatus().blockedBy();
            return blocked != null && "TemplateOwnedElsewhere".equals(blocked.rule());
          });
    }
    assertThat(rig.cluster("owned", "app").getStatus().blockedBy().reading())
        .isEqualTo("the field manager helm changed the images Belay wrote for 2 to {app=app:3}");
    assertThat(image("owned")).isEqualTo("app:3");
  }

  /** A write that was not seen in the template yet may have been refused: it is sent again. */
  private static boolean hasWritten(ClusterLoop loop, String namespace, String version) {
    loop.turn(namespace, "app");
    var written = rig.cluster(namespace, "app").getStatus().components().getFirst().written();
    return written != null && version.equals(written.version());
  }

  private static String image(String namespace) {
    StatefulSet set = rig.set(namespace, "app", false);
    return set.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage();
  }

  private static Map<String, String> writers(String namespace) {
    Sight sight = look(namespace, "app");
    return sight.snapshot().components().getFirst().workload().asOptional().orElseThrow().writers();
  }

  @Test
  void while_one_component_rolls_it_is_known_whose_node_leaves_in_the_others() {
    rig.namespace("nodes");
    rig.set("nodes", "app");
    rig.set("nodes", "store");
    rig.create(
        "nodes",
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: app}
        spec:
          components:
          - {name: app, workload: {name: app}, driver: {type: none}}
          - {name: store, workload: {name: store}, driver: {type: none}}
        """);
    rig.admin
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName("emptied")
                .endMetadata()
                .withNewSpec()
                .withUnschedulable(true)
                .endSpec()
                .build())
        .create();
    rig.admin.raw(
        "/api/v1/namespaces/nodes/pods/store-0/binding",
        "POST",
        Map.of(
            "apiVersion",
            "v1",
            "kind",
            "Binding",
            "metadata",
            Map.of("name", "store-0"),
            "target",
            Map.of("kind", "Node", "name", "emptied")));
    adopt("nodes", "app");
    assertThat(leaving("store-0")).isInstanceOf(Fact.Unknown.class);

    setImage("nodes", "app", "app:2");
    rig.set("nodes", "app", true);

    assertThat(leaving("store-0")).isEqualTo(Fact.known(Optional.of("node emptied is cordoned")));
    assertThat(leaving("store-1")).isEqualTo(Fact.known(Optional.empty()));
  }

  private static Fact<Optional<String>> leaving(String pod) {
    return look("nodes", "app").snapshot().component("store").orElseThrow().podList().stream()
        .filter(p -> p.name().equals(pod))
        .findFirst()
        .orElseThrow()
        .leaving();
  }

  @Test
  void the_newer_of_two_clusters_on_one_set_is_refused_and_the_older_goes_on() {
    rig.namespace("rivals");
    rig.set("rivals", "app");
    rig.cluster("rivals", "elder", "app");
    adopt("rivals", "elder");
    Rig.await("another second", () -> differentSecond(rig.cluster("rivals", "elder")));
    rig.cluster("rivals", "younger", "app");
    try (ClusterLoop loop = rig.loop("one")) {
      loop.turn("rivals", "younger");
      var turn = loop.turn("rivals", "younger").orElseThrow().turn();
      assertThat(turn.decision().objections())
          .extracting(Objection::reason)
          .contains(Reasons.ONE_CLUSTER_PER_WORKLOAD);
      assertThat(loop.turn("rivals", "elder").orElseThrow().turn().decision())
          .isInstanceOf(Decision.Done.class);
    }
    StatefulCluster younger = rig.cluster("rivals", "younger");
    assertThat(younger.getStatus().phase()).isEqualTo("Failed");
    assertThat(younger.getStatus().blockedBy().reading()).contains("elder");
  }

  private static boolean differentSecond(StatefulCluster cluster) {
    return java.time.Instant.now()
        .isAfter(
            java.time.Instant.parse(cluster.getMetadata().getCreationTimestamp()).plusSeconds(1));
  }

  @Test
  void a_workload_that_does_not_exist_is_named_with_its_cure() {
    rig.namespace("missing");
    rig.cluster("missing", "app", "nosuch");
    try (ClusterLoop loop = rig.loop("one")) {
      loop.turn("missing", "app");
      loop.turn("missing", "app");
    }
    var blocked = rig.cluster("missing", "app").getStatus().blockedBy();
    assertThat(blocked.rule()).isEqualTo("WorkloadIsReadable");
    assertThat(blocked.reading()).contains("there is no StatefulSet nosuch in namespace missing");
    assertThat(blocked.cure()).contains("workload.name");
  }

  @Test
  void a_secret_or_configmap_without_a_right_is_named_with_the_field_and_the_fix() {
    var secrets = new Secrets(rig.operator);
    String fix = " in namespace default; fix: add the namespace to secrets.namespaces of the chart";
    assertThatThrownBy(() ->
            secrets.auth("default", new DriverSpec.Auth("db", null, null), "spec.driver.auth"))
        .hasMessage("spec.driver.auth.secretName: the operator may not read Secret db" + fix);
    assertThatThrownBy(() -> secrets.texts("default", "sql", "spec.migrations.source"))
        .hasMessage("spec.migrations.source: the operator may not read ConfigMap sql" + fix);
  }

  @Test
  void a_new_process_takes_over_and_the_epoch_rises() {
    rig.namespace("takeover");
    rig.set("takeover", "app");
    rig.cluster("takeover", "app", "app");
    adopt("takeover", "app");
    long before = rig.cluster("takeover", "app").getStatus().owner().epoch();
    try (ClusterLoop two = rig.loop("two")) {
      assertThat(two.turn("takeover", "app").orElseThrow().turn().decision())
          .isInstanceOfSatisfying(
              Perform.class, p -> assertThat(p.step()).isInstanceOf(Step.Claim.class));
    }
    var owner = rig.cluster("takeover", "app").getStatus().owner();
    assertThat(owner.epoch()).isEqualTo(before + 1);
    assertThat(owner.install()).isEqualTo("belay");
    assertThat(owner.instance()).isEqualTo("two");
  }
}
