package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.core.guard.Mark;
import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.core.state.Step;
import dev.belay.operator.select.Selector;
import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
      assertThat(blocked(turn(v2, "rest"))).isEqualTo(Reasons.NOT_SELECTED.name());
      assertThat(rig.cluster("rest", "app").getMetadata().getResourceVersion()).isEqualTo(version);

      label("rest", "v2");
      assertThat(turn(v1, "rest").decision())
          .isInstanceOfSatisfying(
              Perform.class, p -> assertThat(p.step()).isInstanceOf(Step.HandOver.class));
      assertThat(owner("rest").released()).isTrue();
      assertThat(blocked(turn(v1, "rest"))).isEqualTo(Reasons.NOT_SELECTED.name());
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
      replaced(v1, "midway", "app-2");
      rig.ready("midway");
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
      replaced(v2, "midway", "app-1");
      assertThat(pods("midway")).containsEntry("app-0", pods.get("app-0"));
      assertThat(pods("midway")).containsEntry("app-2", pods.get("app-2"));
    }
  }

  @Test
  void an_owner_that_is_gone_is_succeeded_only_when_its_lease_has_expired() {
    made("gone");
    var expired = new AtomicBoolean();
    var clock = new Shifted();
    try (ClusterLoop v2 =
        v2(lease -> lease.equals("belay-system/belay-operator") && expired.get(), clock)) {
      try (ClusterLoop v1 = v1()) {
        settled(v1, "gone");
      }
      label("gone", "v2");
      assertThat(blocked(turn(v2, "gone"))).isEqualTo(Reasons.OWNED_ELSEWHERE.name());
      assertThat(announced("gone")).as("a release takes a moment").isEmpty();
      clock.ahead = Duration.ofSeconds(30);
      assertThat(blocked(turn(v2, "gone"))).isEqualTo(Reasons.OWNED_ELSEWHERE.name());
      assertThat(blocked(turn(v2, "gone"))).isEqualTo(Reasons.OWNED_ELSEWHERE.name());
      assertThat(announced("gone"))
          .as("the reason is announced once, by the install that waits")
          .singleElement()
          .extracting(e -> e.getReportingInstance())
          .isEqualTo("belay-system/canary");
      expired.set(true);
      settled(v2, "gone");
      assertThat(mark("gone")).isEqualTo("2 " + CANARY);
    }
  }

  private static Stream<Event> announced(String namespace) {
    return rig.admin.v1().events().inNamespace(namespace).list().getItems().stream()
        .filter(e -> e.getReason().equals(Reasons.OWNED_ELSEWHERE.name()));
  }

  /** A clock that can be set ahead. */
  private static final class Shifted extends Clock {

    private Duration ahead = Duration.ZERO;

    @Override
    public Instant instant() {
      return Instant.now().plus(ahead);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  @Test
  void an_uninstalled_operator_leaves_no_mark_label_or_finalizer_and_restarts_no_pod()
      throws InterruptedException {
    made("removed");
    rig.ready("removed");
    try (ClusterLoop v1 = v1()) {
      settled(v1, "removed");
      Rig.await("the label on the set", () -> synced(v1, "removed").equals("v1"));
      template("removed");
      replaced(v1, "removed", "app-2");
      turn(v1, "removed");
    }
    assertThat(rig.cluster("removed", "app").getMetadata().getFinalizers()).isNotEmpty();
    Map<String, String> pods = pods("removed");

    assertThat(uninstalled("removed")).isZero();

    assertThat(owner("removed").released()).isTrue();
    assertThat(rig.cluster("removed", "app").getMetadata().getFinalizers()).isEmpty();
    assertThat(meta("removed").getAnnotations()).doesNotContainKey(Mark.ANNOTATION);
    assertThat(meta("removed").getLabels()).doesNotContainKeys(Mark.LABEL, "managed-by");
    assertThat(rig.set("removed", "app", true).getSpec().getUpdateStrategy().getRollingUpdate())
        .as("the partition stays, so nothing else restarts")
        .extracting(r -> r.getPartition())
        .isEqualTo(2);
    assertThat(pods("removed")).isEqualTo(pods);
    assertThat(events("removed", "LeftMidway"))
        .singleElement()
        .asString()
        .contains("2 of 3 members", "kubectl patch statefulset app");
    assertThat(uninstalled("removed")).as("a second time").isZero();
    try (ClusterLoop v2 = v2(_ -> false)) {
      label("removed", "v2");
      Rig.await(
          "the next operator",
          () -> {
            turn(v2, "removed");
            return mark("removed").endsWith(CANARY);
          });
    }
  }

  @Test
  void what_was_released_midway_to_no_operator_is_left_with_an_event_by_the_uninstallation()
      throws InterruptedException {
    made("nobody");
    rig.ready("nobody");
    try (ClusterLoop v1 = v1()) {
      settled(v1, "nobody");
      template("nobody");
      replaced(v1, "nobody", "app-2");
      turn(v1, "nobody");
      label("nobody", "none");
      Rig.await(
          "the release",
          () -> {
            turn(v1, "nobody");
            return owner("nobody").released();
          });
    }
    assertThat(rig.cluster("nobody", "app").getMetadata().getFinalizers()).isNotEmpty();

    assertThat(uninstalled("nobody")).isZero();

    assertThat(owner("nobody").released()).isTrue();
    assertThat(rig.cluster("nobody", "app").getMetadata().getFinalizers()).isEmpty();
    assertThat(meta("nobody").getLabels()).doesNotContainKey(Mark.LABEL);
    assertThat(events("nobody", "LeftMidway"))
        .singleElement()
        .asString()
        .contains("kubectl patch statefulset app");
  }

  private static List<String> events(String namespace, String reason) {
    return rig.admin.v1().events().inNamespace(namespace).list().getItems().stream()
        .filter(e -> e.getReason().equals(reason))
        .map(e -> e.getMessage())
        .toList();
  }

  @Test
  void a_namespace_that_cannot_be_read_does_not_keep_the_others_from_an_uninstallation() {
    made("there");
    try (ClusterLoop v1 = v1()) {
      settled(v1, "there");
    }
    rig.admin
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("belay-narrow")
                .withNamespace("belay-system")
                .endMetadata()
                .build())
        .create();
    rig.admin
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withName("belay-narrow")
                .withNamespace("there")
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "belay-operator")
                .addNewSubject("", "ServiceAccount", "belay-narrow", "belay-system")
                .build())
        .create();
    try (KubernetesClient narrow =
        ControlPlane.client(rig.plane.kubeconfigFor("belay-system", "belay-narrow"))) {
      Rig.await("the right", () -> Remaining.of(narrow, List.of("there")).unreadable().isEmpty());

      Remaining remaining = Remaining.of(narrow, List.of("there", "gone"));

      assertThat(remaining.unreadable()).containsOnlyKeys("gone");
      assertThat(remaining.namespaces()).containsExactly("there");
      assertThat(remaining.ownedBy("belay-system/belay")).hasToString("[there/app]");
      assertThat(remaining.ownedByOthers("belay-system/belay")).isEmpty();
      assertThat(remaining.ownedByOthers("belay-system/canary")).hasToString("[there/app]");
      assertThat(remaining.nothingRead()).isFalse();
      assertThat(Remaining.of(narrow, List.of("gone")).nothingRead()).isTrue();
    }
  }

  /** The exit code. */
  private static int uninstalled(String namespace) throws InterruptedException {
    var settings =
        new Settings(
            "uninstall",
            List.of(namespace),
            Selector.parse("managed-by=v1"),
            Places.NO_LIMIT,
            Optional.empty());
    return new Uninstall(
            rig.operator, new Self("belay-system/belay", "uninstall", Rig.ACCOUNT), settings)
        .run();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "by=v1",
        "by==v1",
        " by = v1 , env = prod ",
        "by!=v2",
        "by in (v0,v1)",
        "by in ( v1 )",
        "env notin (test,dev)",
        "missing notin (a)",
        "by",
        "!by",
        "disks>3",
        "disks<5",
        "disks>x",
        "empty=",
        "empty in (,)",
        "empty in (a,)",
        "empty in (a,,)",
        "example.com/tier=gold",
        "by in (v1),!missing,env",
        "by=v1=v2",
        "=v1",
        "by in v1",
        "by in ()",
        "by in (v1",
        "by,,env",
        ",by",
        "by,",
        "by=v1;env=prod",
        "Example.com/x=y",
        "by v1",
        "!by=v1",
        "by in (a b)",
        "in",
        "notin in (in)",
        "by>v1",
        "by=-v1",
        "a/b/c=d"
      })
  void the_API_server_reads_a_selector_in_the_same_way(String text) {
    Map<String, Map<String, String>> labels =
        Map.of(
            "one", Map.of("by", "v1", "env", "prod", "disks", "4", "empty", ""),
            "two", Map.of("by", "v2", "example.com/tier", "gold", "disks", "many"),
            "three", Map.of("in", "in", "notin", "in"));
    if (rig.admin.namespaces().withName("selectors").get() == null) {
      rig.namespace("selectors");
      labels.forEach((name, own) ->
          rig.admin
              .resource(
                  new ConfigMapBuilder()
                      .withNewMetadata()
                      .withNamespace("selectors")
                      .withName(name)
                      .addToLabels("ours", "yes")
                      .addToLabels(own)
                      .endMetadata()
                      .build())
              .create());
    }
    Optional<Set<String>> theirs = listed(text);
    Optional<Set<String>> ours;
    try {
      Selector selector = Selector.parse(text);
      ours =
          Optional.of(
              labels.entrySet().stream()
                  .filter(e -> selector.matches(e.getValue()))
                  .map(Map.Entry::getKey)
                  .collect(Collectors.toSet()));
    } catch (IllegalArgumentException e) {
      ours = Optional.empty();
    }
    assertThat(ours).isEqualTo(theirs);
  }

  /** What the API server selects; empty when it refuses the selector. */
  private static Optional<Set<String>> listed(String selector) {
    try {
      return Optional.of(
          rig
              .admin
              .configMaps()
              .inNamespace("selectors")
              .list(new ListOptionsBuilder().withLabelSelector(selector).build())
              .getItems()
              .stream()
              .map(c -> c.getMetadata())
              .filter(m -> m.getLabels() != null && m.getLabels().containsKey("ours"))
              .map(ObjectMeta::getName)
              .collect(Collectors.toSet()));
    } catch (KubernetesClientException e) {
      assertThat(e.getCode()).isEqualTo(400);
      return Optional.empty();
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
    return v2(expired, Clock.systemUTC());
  }

  private static ClusterLoop v2(Predicate<String> expired, Clock clock) {
    return rig.loop(
        canary, new Self("belay-system/canary", "one", CANARY), "managed-by=v2", expired, clock);
  }

  /**
   * Releases a pod and waits for its successor, without a turn in between: there is no node, and
   * the operator would see that the new pod finds none.
   */
  private static void replaced(ClusterLoop loop, String namespace, String pod) {
    if (!image(namespace, pod).equals("app:2")) {
      Rig.await(
          "the release of " + pod,
          () ->
              turn(loop, namespace).decision() instanceof Perform(Step.Release _)
                  || image(namespace, pod).equals("app:2"));
      Rig.await(pod, () -> image(namespace, pod).equals("app:2"));
    }
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
    return turn.decision().objections().getFirst().reason().name();
  }

  private static StatefulClusterStatus.Owner owner(String namespace) {
    return rig.cluster(namespace, "app").getStatus().owner();
  }

  private static ObjectMeta meta(String namespace) {
    StatefulSet set = rig.set(namespace, "app", true);
    return set.getMetadata();
  }

  private static String mark(String namespace) {
    return meta(namespace).getAnnotations().getOrDefault(Mark.ANNOTATION, "");
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
