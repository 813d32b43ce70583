package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.core.guard.Mark;
import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.plan.Decision;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Precondition;
import dev.belay.core.plan.Step;
import dev.belay.core.snapshot.Snapshot.Self;
import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two installs with accounts and selectors of their own, and a cluster that is relabelled. */
class HandoverIT {

  private static final String CANARY = "system:serviceaccount:belay-system:belay-canary";

  private static Rig rig;
  private static KubernetesClient canary;

  @BeforeAll
  static void start() {
    rig = Rig.start();
    rig.admin
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("belay-canary")
                .withNamespace("belay-system")
                .endMetadata()
                .build())
        .create();
    rig.admin
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName("belay-canary")
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "belay-operator")
                .addNewSubject("", "ServiceAccount", "belay-canary", "belay-system")
                .build())
        .create();
    canary = ControlPlane.client(rig.plane.kubeconfigFor("belay-system", "belay-canary"));
  }

  @AfterAll
  static void stop() {
    canary.close();
    rig.close();
  }

  @Test
  void at_rest_another_label_means_another_owner_and_nothing_restarts() {
    made("rest");
    try (ClusterLoop v1 = v1();
        ClusterLoop v2 = v2(_ -> false)) {
      settled(v1, "rest");
      Map<String, String> pods = pods("rest");
      long generation = meta("rest").getGeneration();
      String version = rig.cluster("rest", "app").getMetadata().getResourceVersion();
      assertThat(blocked(turn(v2, "rest"))).isEqualTo(Precondition.NOT_SELECTED.word());
      assertThat(rig.cluster("rest", "app").getMetadata().getResourceVersion()).isEqualTo(version);

      label("rest", "v2");
      assertThat(turn(v1, "rest").decision())
          .isInstanceOfSatisfying(
              Perform.class, p -> assertThat(p.step()).isInstanceOf(Step.HandOver.class));
      assertThat(owner("rest").released()).isTrue();
      assertThat(blocked(turn(v1, "rest"))).isEqualTo(Precondition.NOT_SELECTED.word());
      assertThat(mark("rest")).isEqualTo("1 " + Rig.ACCOUNT);

      settled(v2, "rest");
      assertThat(owner("rest").install()).isEqualTo("belay-system/canary");
      assertThat(owner("rest").epoch()).isEqualTo(2);
      assertThat(owner("rest").lease()).isEqualTo("belay-system/canary-operator");
      assertThat(owner("rest").released()).isNull();
      assertThat(mark("rest")).isEqualTo("2 " + CANARY);
      Rig.await("the label on the set", () -> synced(v2, "rest").equals("v2"));
      assertThat(pods("rest")).isEqualTo(pods);
      assertThat(meta("rest").getGeneration()).isEqualTo(generation);
    }
  }

  @Test
  void midway_the_next_operator_goes_on_with_the_member_that_is_next() {
    made("midway");
    rig.ready("midway");
    try (ClusterLoop v1 = v1();
        ClusterLoop v2 = v2(_ -> false)) {
      settled(v1, "midway");
      template("midway");
      Rig.await(
          "app-2 to be replaced",
          () -> {
            turn(v1, "midway");
            return image("midway", "app-2").equals("app:2");
          });
      Map<String, String> pods = pods("midway");

      label("midway", "v2");
      Rig.await(
          "the release",
          () -> {
            turn(v1, "midway");
            return Boolean.TRUE.equals(owner("midway").released());
          });
      Rig.await(
          "the claim",
          () -> {
            turn(v2, "midway");
            return mark("midway").endsWith(CANARY);
          });
      turn(v2, "midway");
      assertThat(pods("midway")).isEqualTo(pods);
      assertThat(rig.cluster("midway", "app").getStatus().phase()).isEqualTo("Upgrading");

      rig.ready("midway");
      Rig.await(
          "app-1 to be replaced",
          () -> {
            turn(v2, "midway");
            return image("midway", "app-1").equals("app:2");
          });
      assertThat(pods("midway")).containsEntry("app-0", pods.get("app-0"));
      assertThat(pods("midway")).containsEntry("app-2", pods.get("app-2"));
    }
  }

  @Test
  void an_owner_that_is_gone_is_succeeded_only_when_its_lease_has_expired() {
    made("gone");
    var expired = new AtomicBoolean();
    try (ClusterLoop v2 =
        v2(lease -> lease.equals("belay-system/belay-operator") && expired.get())) {
      try (ClusterLoop v1 = v1()) {
        settled(v1, "gone");
      }
      label("gone", "v2");
      assertThat(blocked(turn(v2, "gone"))).isEqualTo(Precondition.OWNED_ELSEWHERE.word());
      assertThat(owner("gone").install()).isEqualTo("belay-system/belay");
      expired.set(true);
      settled(v2, "gone");
      assertThat(mark("gone")).isEqualTo("2 " + CANARY);
    }
  }

  private static ClusterLoop v1() {
    return rig.loop(
        rig.operator,
        new Self("belay-system/belay", "one", Rig.ACCOUNT),
        "managed-by=v1",
        _ -> false,
        Clock.systemUTC());
  }

  private static ClusterLoop v2(Predicate<String> expired) {
    return rig.loop(
        canary,
        new Self("belay-system/canary", "one", CANARY),
        "managed-by=v2",
        expired,
        Clock.systemUTC());
  }

  private static void made(String namespace) {
    rig.namespace(namespace);
    rig.set(namespace, "app");
    rig.cluster(namespace, "app", "app");
    label(namespace, "v1");
  }

  private static void label(String namespace, String value) {
    rig.admin
        .resource(rig.cluster(namespace, "app"))
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":{\"managed-by\":\"%s\"}}}".formatted(value));
  }

  private static void template(String namespace) {
    rig.admin
        .apps()
        .statefulSets()
        .inNamespace(namespace)
        .withName("app")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"app\",\"image\":\"app:2\"}]}}}}");
  }

  private static Turn turn(ClusterLoop loop, String namespace) {
    return loop.turn(namespace, "app").orElseThrow().turn();
  }

  private static void settled(ClusterLoop loop, String namespace) {
    Rig.await("rest", () -> turn(loop, namespace).decision() instanceof Decision.Done);
  }

  private static String blocked(Turn turn) {
    return turn.decision().objections().getFirst().rule();
  }

  private static StatefulClusterStatus.Owner owner(String namespace) {
    return rig.cluster(namespace, "app").getStatus().owner();
  }

  private static ObjectMeta meta(String namespace) {
    StatefulSet set = rig.set(namespace, "app", true);
    return set.getMetadata();
  }

  private static String mark(String namespace) {
    return meta(namespace).getAnnotations().get(Mark.ANNOTATION);
  }

  private static String synced(ClusterLoop loop, String namespace) {
    turn(loop, namespace);
    return meta(namespace).getLabels().getOrDefault("managed-by", "");
  }

  private static Map<String, String> pods(String namespace) {
    return rig.admin.pods().inNamespace(namespace).list().getItems().stream()
        .collect(Collectors.toMap(p -> p.getMetadata().getName(), p -> p.getMetadata().getUid()));
  }

  private static String image(String namespace, String pod) {
    Pod live = rig.admin.pods().inNamespace(namespace).withName(pod).get();
    return live == null ? "" : live.getSpec().getContainers().getFirst().getImage();
  }
}
