package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.guard.Mark;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.model.Component;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.core.state.Step;
import dev.belay.operator.act.KubernetesActor;
import dev.belay.operator.actions.UserActions;
import dev.belay.operator.migrations.UserMigrations;
import dev.belay.operator.observe.GuardProbe;
import dev.belay.operator.observe.KubernetesObserver;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.record.Announcer;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A Deployment as a component: how it is read, paused, handed over and left. */
class DeploymentIT {

  private static Rig rig;

  @BeforeAll
  static void start() {
    rig = Rig.start();
    workload("pause-probe");
    rig.admin
        .apps()
        .deployments()
        .inNamespace("pause-probe")
        .withName("app")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":{\"belay.dev/cluster\":\"app\"}}}");
    Rig.await("the guard of Deployments", () -> pauses("pause-probe"));
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  /** A Deployment of three with the image app:1 whose pods are ready, and its StatefulCluster. */
  private static void deployed(String namespace) {
    workload(namespace);
    rig.cluster(namespace, "app", "kind: Deployment, name: app");
  }

  /** The same, marked by its operator. */
  private static void adopted(String namespace) {
    deployed(namespace);
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await(
          "adoption",
          () ->
              loop.turn(namespace, "app").orElseThrow().turn().decision() instanceof Decision.Done);
    }
  }

  private static void workload(String namespace) {
    workload(namespace, 600);
  }

  private static void workload(String namespace, int progressDeadlineSeconds) {
    rig.namespace(namespace);
    rig.create(
        namespace,
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: app}
        spec:
          replicas: 3
          progressDeadlineSeconds: %d
          selector: {matchLabels: {app: app}}
          strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
          template:
            metadata: {labels: {app: app}}
            spec:
              containers: [{name: app, image: "app:1"}]
        """
            .formatted(progressDeadlineSeconds));
    Rig.await("three pods", () -> pods(namespace).size() == 3);
    rig.ready(namespace);
    Rig.await(
        "the controller to see them",
        () -> Integer.valueOf(3).equals(deployment(namespace).getStatus().getReadyReplicas()));
  }

  private static List<io.fabric8.kubernetes.api.model.Pod> pods(String namespace) {
    return rig.admin.pods().inNamespace(namespace).list().getItems();
  }

  private static Deployment deployment(String namespace) {
    return rig.admin.apps().deployments().inNamespace(namespace).withName("app").require();
  }

  private static boolean paused(String namespace) {
    return Boolean.TRUE.equals(deployment(namespace).getSpec().getPaused());
  }

  private static boolean pauses(String namespace) {
    Deployment answer =
        rig.admin
            .apps()
            .deployments()
            .inNamespace(namespace)
            .withName("app")
            .patch(
                new PatchContext.Builder()
                    .withPatchType(PatchType.JSON_MERGE)
                    .withDryRun(List.of("All"))
                    .build(),
                "{\"spec\":{\"template\":{\"metadata\":{\"annotations\":{\"a\":\"b\"}}}}}");
    return Boolean.TRUE.equals(answer.getSpec().getPaused());
  }

  private static void setImage(String namespace, String image) {
    rig.admin
        .apps()
        .deployments()
        .inNamespace(namespace)
        .withName("app")
        .edit(d -> {
          d.getSpec().getTemplate().getSpec().getContainers().getFirst().setImage(image);
          return d;
        });
  }

  private static Sight look(String namespace) {
    return new KubernetesObserver(
            rig.operator,
            new Self("belay", "one", Rig.ACCOUNT),
            new GuardProbe(rig.operator),
            new DriverPool(rig.operator),
            Clock.systemUTC())
        .observe(namespace, "app")
        .orElseThrow();
  }

  private static Component component(Sight sight) {
    return sight.snapshot().components().getFirst();
  }

  private static Workload seen(Sight sight) {
    return component(sight).workload().asOptional().orElseThrow();
  }

  private static Fence.ObjectVersion fence(Sight sight) {
    Workload w = seen(sight);
    return new Fence.ObjectVersion(Fence.Kind.DEPLOYMENT, w.name(), w.uid(), w.resourceVersion());
  }

  private static Acted act(Sight sight, Step step) {
    try (var actor =
        new KubernetesActor(
            rig.operator,
            new DriverPool(rig.operator),
            new UserActions(Clock.systemUTC(), () -> true, _ -> {}),
            new UserMigrations(rig.operator, "test", Clock.systemUTC(), _ -> {}),
            Clock.systemUTC())) {
      return actor.act(sight, step);
    }
  }

  @Test
  void at_rest_everything_is_at_one_revision_and_the_policies_guard_it() {
    adopted("rest");
    Sight sight = look("rest");
    Workload workload = seen(sight);
    assertThat(workload.kind()).isEqualTo(Workload.Kind.DEPLOYMENT);
    assertThat(workload.replicas()).isEqualTo(3);
    assertThat(workload.partition()).isZero();
    assertThat(workload.observed()).isTrue();
    assertThat(workload.images()).isEqualTo(Map.of("app", "app:1"));
    assertThat(workload.mainContainer()).isEqualTo("app");
    assertThat(workload.stalled()).isEmpty();
    assertThat(workload.currentRevision()).isEqualTo(workload.updateRevision());
    assertThat(component(sight).guard().is(Guarding.POLICY)).isTrue();
    assertThat(component(sight).podList())
        .hasSize(3)
        .allMatch(p -> p.revision().equals(workload.updateRevision()))
        .allMatch(Pod::available)
        .allMatch(p -> p.ordinal() < 0)
        .isSortedAccordingTo((a, b) -> a.name().compareTo(b.name()));
  }

  @Test
  void in_the_middle_of_a_roll_out_each_pod_is_at_the_revision_of_its_replica_set() {
    workload("midway");
    setImage("midway", "app:2");
    Rig.await("one new pod", () -> pods("midway").size() == 4);
    rig.cluster("midway", "app", "kind: Deployment, name: app");

    Sight sight = look("midway");
    Workload workload = seen(sight);
    assertThat(workload.currentRevision()).isNotEqualTo(workload.updateRevision());
    Map<String, List<Pod>> byImage =
        component(sight).podList().stream()
            .collect(java.util.stream.Collectors.groupingBy(p -> p.images().get("app")));
    assertThat(byImage.get("app:1"))
        .hasSize(3)
        .allMatch(p -> p.revision().equals(workload.currentRevision()));
    assertThat(byImage.get("app:2"))
        .hasSize(1)
        .allMatch(p -> p.revision().equals(workload.updateRevision()));
    assertThat(component(sight).budgets().asOptional()).isPresent();

    assertThat(act(sight, new Step.Freeze("app", fence(sight), "test")).accepted()).isTrue();
    assertThat(paused("midway")).isTrue();
    assertThat(seen(look("midway")).frozen()).isTrue();
  }

  @Test
  void a_change_that_the_guard_paused_is_known_before_its_controller_makes_anything_of_it() {
    adopted("paused");
    String before = seen(look("paused")).updateRevision();
    setImage("paused", "app:2");
    Rig.await("the controller to see it", () -> seen(look("paused")).observed());

    Sight sight = look("paused");
    assertThat(seen(sight).frozen()).isTrue();
    assertThat(seen(sight).currentRevision()).isEqualTo(before);
    assertThat(seen(sight).updateRevision()).isNotEqualTo(before);
    assertThat(component(sight).podList()).hasSize(3).allMatch(p -> p.revision().equals(before));
    assertThat(pods("paused")).hasSize(3);

    assertThat(act(sight, new Step.LetRoll("app", fence(sight))).accepted()).isTrue();
    assertThat(paused("paused")).isFalse();
    Rig.await("its controller rolls it", () -> pods("paused").size() == 4);
  }

  @Test
  void a_template_is_written_and_paused_in_one_request() {
    deployed("template");
    Sight sight = look("template");
    long before = deployment("template").getMetadata().getGeneration();

    Acted acted =
        act(sight, new Step.SetTemplate("app", fence(sight), "2", Map.of("app", "app:2")));

    assertThat(acted.accepted()).as(acted.detail()).isTrue();
    Deployment after = deployment("template");
    assertThat(after.getMetadata().getGeneration()).isEqualTo(before + 1);
    assertThat(after.getSpec().getPaused()).isTrue();
    assertThat(after.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage())
        .isEqualTo("app:2");
    assertThat(pods("template")).hasSize(3);
  }

  @Test
  void the_late_write_of_a_revoked_step_is_refused() {
    adopted("late");
    setImage("late", "app:2");
    Rig.await("the controller to see it", () -> seen(look("late")).observed());
    Sight stalled = look("late");
    var handOver = new Step.LetRoll("app", fence(stalled));

    Acted revoked = act(stalled, new Step.Revoke("app", fence(stalled), "1-1", handOver.what()));
    Acted late = act(stalled, handOver);

    assertThat(revoked.accepted()).as(revoked.detail()).isTrue();
    assertThat(late.detail()).contains("409");
    assertThat(paused("late")).isTrue();
    assertThat(deployment("late").getMetadata().getAnnotations())
        .containsEntry("belay.dev/revoked", "1-1");
  }

  @Test
  void adoption_changes_nothing_of_it_but_the_mark() {
    deployed("adoption");
    Deployment before = deployment("adoption");
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await(
          "adoption",
          () ->
              loop.turn("adoption", "app").orElseThrow().turn().decision()
                  instanceof Decision.Done);
    }
    Deployment after = deployment("adoption");
    assertThat(after.getSpec()).isEqualTo(before.getSpec());
    var annotations = new HashMap<>(after.getMetadata().getAnnotations());
    assertThat(annotations.remove(Mark.ANNOTATION)).isEqualTo("1 " + Rig.ACCOUNT);
    assertThat(annotations).isEqualTo(before.getMetadata().getAnnotations());
    assertThat(rig.cluster("adoption", "app").getMetadata().getFinalizers()).isEmpty();
    var status = rig.cluster("adoption", "app").getStatus().components().getFirst();
    assertThat(status.guard()).isEqualTo("Policy");
    assertThat(status.workload()).isEqualTo("Deployment/app");
    assertThat(status.members()).hasSize(3).allMatch(m -> m.ordinal() == null);
  }

  private static void pause(String namespace) {
    rig.admin
        .apps()
        .deployments()
        .inNamespace(namespace)
        .withName("app")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"paused\":true}}");
  }

  private static void approve(String namespace, String token) {
    rig.admin
        .resource(rig.cluster(namespace, "app"))
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"requests\":{\"approve\":\"" + token + "\"}}}");
  }

  private static Optional<String> rule(ClusterLoop loop, String namespace) {
    return loop.turn(namespace, "app").orElseThrow().turn().decision().objections().stream()
        .map(o -> o.reason().name())
        .findFirst();
  }

  @Test
  void one_that_somebody_paused_before_stays_so_until_a_person_agrees() {
    workload("asleep");
    pause("asleep");
    rig.cluster("asleep", "app", "kind: Deployment, name: app");
    Rig.await("the controller to see it", () -> seen(look("asleep")).observed());
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await("it is shown", () -> rule(loop, "asleep").equals(Optional.of("AdoptedMidway")));
      assertThat(paused("asleep")).isTrue();

      approve("asleep", rig.cluster("asleep", "app").getStatus().waitingFor());
      Rig.await(
          "it goes on",
          () -> {
            loop.turn("asleep", "app");
            return !paused("asleep");
          });
    }
  }

  @Test
  void paused_by_a_person_midway_it_stands_until_a_person_agrees() {
    deployed("stopped");
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await("adoption", () -> rule(loop, "stopped").isEmpty() && isIdle("stopped"));
      noMorePods("stopped");
      setImage("stopped", "app:2");
      Rig.await("it rolls", () -> rule(loop, "stopped").equals(Optional.of("ControllerRolls")));
      pause("stopped");
      Rig.await("it is said", () -> rule(loop, "stopped").equals(Optional.of("PausedByHand")));
      assertThat(rule(loop, "stopped")).contains("PausedByHand");
      assertThat(paused("stopped")).isTrue();

      approve("stopped", rig.cluster("stopped", "app").getStatus().waitingFor());
      Rig.await("it rolls on", () -> rule(loop, "stopped").equals(Optional.of("ControllerRolls")));
      assertThat(paused("stopped")).isFalse();
    }
  }

  @Test
  void paused_by_a_person_at_rest_it_is_taken_back_when_he_agrees() {
    deployed("resting");
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await("adoption", () -> rule(loop, "resting").isEmpty() && isIdle("resting"));
      pause("resting");
      Rig.await("it is said", () -> rule(loop, "resting").equals(Optional.of("PausedByHand")));
      assertThat(paused("resting")).isTrue();

      approve("resting", rig.cluster("resting", "app").getStatus().waitingFor());
      Rig.await("it rests", () -> rule(loop, "resting").isEmpty() && isIdle("resting"));
      assertThat(paused("resting")).isFalse();
    }
  }

  /** Nothing new can come up, and no pod says why. */
  private static void noMorePods(String namespace) {
    rig.create(
        namespace,
        """
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: full}
        spec: {hard: {pods: "3"}}
        """);
    Rig.await(
        "the quota to count",
        () -> {
          var quota = rig.admin.resourceQuotas().inNamespace(namespace).withName("full").require();
          return quota.getStatus() != null
              && quota.getStatus().getUsed() != null
              && quota.getStatus().getUsed().containsKey("pods");
        });
  }

  @Test
  void a_set_that_its_own_controller_rolls_is_frozen_until_it_is_let() {
    rig.namespace("native");
    rig.set("native", "app");
    rig.ready("native");
    rig.create(
        "native",
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: app}
        spec:
          components:
          - name: app
            workload: {name: app}
            driver: {type: none}
            rollout: {strategy: Native}
        """);
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await("adoption", () -> rule(loop, "native").isEmpty() && isIdle("native"));
      rig.admin
          .apps()
          .statefulSets()
          .inNamespace("native")
          .withName("app")
          .edit(s -> {
            s.getSpec().getTemplate().getSpec().getContainers().getFirst().setImage("app:2");
            return s;
          });
      assertThat(partitionOf("native")).isEqualTo(Workload.FROZEN);
      Rig.await(
          "it is let",
          () -> {
            loop.turn("native", "app");
            return partitionOf("native") == 0;
          });
    }
    Rig.await(
        "the controller replaces the highest",
        () ->
            pods("native").stream()
                .filter(p -> p.getMetadata().getName().equals("app-2"))
                .anyMatch(p -> p.getSpec().getContainers().getFirst().getImage().equals("app:2")));
  }

  private static int partitionOf(String namespace) {
    return rig.set(namespace, "app", true)
        .getSpec()
        .getUpdateStrategy()
        .getRollingUpdate()
        .getPartition();
  }

  private static boolean isIdle(String namespace) {
    return "Idle".equals(rig.cluster(namespace, "app").getStatus().phase());
  }

  @Test
  void what_its_own_controller_gives_up_has_failed_and_is_paused() {
    workload("late-forever", 3);
    rig.cluster("late-forever", "app", "kind: Deployment, name: app");
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await("adoption", () -> rule(loop, "late-forever").isEmpty() && isIdle("late-forever"));
      noMorePods("late-forever");
      setImage("late-forever", "app:2");
      Rig.await(
          "its controller gives up",
          () -> {
            loop.turn("late-forever", "app");
            return "Failed".equals(rig.cluster("late-forever", "app").getStatus().phase());
          });
      Rig.await(
          "it is paused",
          () -> {
            loop.turn("late-forever", "app");
            return paused("late-forever");
          });
    }
    assertThat(rig.cluster("late-forever", "app").getStatus().refused())
        .singleElement()
        .satisfies(r -> assertThat(r.reason()).contains("ProgressDeadlineExceeded"));
  }

  @Test
  void only_who_names_the_same_kind_is_a_rival() {
    workload("kinds");
    rig.cluster("kinds", "elder", "kind: StatefulSet, name: app");
    rig.cluster("kinds", "first", "kind: Deployment, name: app");
    Rig.await("another second", () -> Instant.now().isAfter(created("kinds", "first")));
    rig.cluster("kinds", "app", "kind: Deployment, name: app");
    assertThat(component(look("kinds")).rival().asOptional().orElseThrow()).contains("first");
  }

  private static Instant created(String namespace, String cluster) {
    return Instant.parse(rig.cluster(namespace, cluster).getMetadata().getCreationTimestamp())
        .plusSeconds(1);
  }

  @Test
  void what_is_left_paused_midway_is_said_with_the_way_on() {
    adopted("leaves");
    setImage("leaves", "app:2");
    Sight sight = look("leaves");
    new Announcer(rig.operator, "test")
        .farewell(sight.cluster(), sight.snapshot(), Rig.report(sight));
    assertThat(rig.admin.v1().events().inNamespace("leaves").list().getItems())
        .filteredOn(e -> "LeftMidway".equals(e.getReason()))
        .singleElement()
        .satisfies(e ->
            assertThat(e.getMessage())
                .contains("3 of 3 members of Deployment app are not at the newest revision")
                .contains("it is left paused")
                .contains("kubectl rollout resume deployment/app"));
  }

  @Test
  void a_deployment_that_is_missing_is_named_by_its_kind() {
    rig.namespace("missing");
    rig.cluster("missing", "app", "kind: Deployment, name: app");
    assertThat(component(look("missing")).workload().toString())
        .contains("there is no Deployment app in namespace missing");
  }

  @Test
  void a_change_of_it_or_of_its_pods_wakes_the_loop() {
    deployed("wakes");
    var woken = new AtomicInteger();
    try (var wakeups = new Wakeups(rig.operator)) {
      wakeups.events().setEventHandler(_ -> woken.incrementAndGet());
      wakeups.events().start();
      wakeups.watch(look("wakes"));
      Rig.await("the Deployment and its pods are seen", () -> woken.get() >= 4);
      int before = woken.get();
      setImage("wakes", "app:2");
      Rig.await("news of the Deployment", () -> woken.get() > before);
    }
  }

  @Test
  void an_annotation_that_does_nothing_is_said_once() {
    deployed("ignored");
    rig.admin
        .resource(rig.cluster("ignored", "app"))
        .edit(c -> {
          c.getMetadata().setAnnotations(Map.of("belay.dev/force-rolling-update", "yes"));
          return c;
        });
    try (ClusterLoop loop = rig.loop("one")) {
      for (int i = 0; i < 5; i++) {
        loop.turn("ignored", "app");
      }
    }
    assertThat(rig.admin.v1().events().inNamespace("ignored").list().getItems())
        .filteredOn(e -> "Ignored".equals(e.getReason()))
        .singleElement()
        .satisfies(e -> {
          ObjectReference about = e.getInvolvedObject();
          assertThat(about.getName()).isEqualTo("app");
          assertThat(e.getType()).isEqualTo("Warning");
          assertThat(e.getMessage()).contains("\"yes\" and does nothing");
        });
  }
}
