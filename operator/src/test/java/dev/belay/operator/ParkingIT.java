package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.core.state.Step;
import dev.belay.operator.act.Finalizer;
import dev.belay.operator.act.KubernetesActor;
import dev.belay.operator.actions.UserActions;
import dev.belay.operator.migrations.UserMigrations;
import dev.belay.operator.observe.GuardProbe;
import dev.belay.operator.observe.KubernetesObserver;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A cluster without the admission policies: sets are parked, and never left so by accident. */
class ParkingIT {

  private static final String UNPARK = "belay.dev/leave";

  private static Rig rig;

  @BeforeAll
  static void start() {
    rig = Rig.withoutPolicies();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  private static int partition(String namespace) {
    return rig.set(namespace, "app", true)
        .getSpec()
        .getUpdateStrategy()
        .getRollingUpdate()
        .getPartition();
  }

  private static List<String> finalizers(String namespace) {
    return rig.cluster(namespace, "app").getMetadata().getFinalizers();
  }

  private static void edit(String namespace, UnaryOperator<StatefulCluster> change) {
    rig.admin.resources(StatefulCluster.class).inNamespace(namespace).withName("app").edit(change);
  }

  private static void operatorMay(String verb, boolean may) {
    rig.admin
        .resources(ClusterRole.class)
        .withName("belay-operator")
        .edit(role -> {
          List<String> verbs = role.getRules().getFirst().getVerbs();
          verbs.remove(verb);
          if (may) {
            verbs.add(verb);
          }
          return role;
        });
  }

  @Test
  void a_set_is_not_parked_before_the_finalizer_is_on_its_cluster() {
    rig.namespace("order");
    rig.set("order", "app");
    rig.cluster("order", "app", "app");
    // Of a StatefulCluster itself the operator patches nothing but the finalizers.
    operatorMay("patch", false);
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await(
          "the wish to park",
          () -> {
            Turn turn = loop.turn("order", "app").orElseThrow().turn();
            assertThat(partition("order")).isZero();
            return turn.acted().detail().contains("finalizer");
          });
      assertThat(finalizers("order")).isEmpty();

      operatorMay("patch", true);
      Rig.await(
          "the set to be parked",
          () -> {
            loop.turn("order", "app");
            return partition("order") == Workload.FROZEN;
          });
      assertThat(finalizers("order")).containsExactly(UNPARK);
    } finally {
      operatorMay("patch", true);
    }
  }

  @Test
  void a_parked_set_that_is_no_longer_named_is_said_with_the_way_on() {
    rig.namespace("unnamed");
    rig.set("unnamed", "app");
    rig.set("unnamed", "other");
    rig.cluster("unnamed", "app", "app");
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await(
          "the set to be parked",
          () -> {
            loop.turn("unnamed", "app");
            return partition("unnamed") == Workload.FROZEN && isIdle("unnamed");
          });
      naming("unnamed", "other");
      Rig.await(
          "the other one to be taken over",
          () -> {
            loop.turn("unnamed", "app");
            return "StatefulSet/other"
                .equals(
                    rig.cluster("unnamed", "app").getStatus().components().getFirst().workload());
          });
    }
    assertThat(rig.admin.v1().events().inNamespace("unnamed").list().getItems())
        .filteredOn(e -> "LeftParked".equals(e.getReason()))
        .singleElement()
        .satisfies(e ->
            assertThat(e.getMessage())
                .contains("StatefulSet/app")
                .contains("kubectl patch statefulset app --type=merge"));
  }

  private static boolean isIdle(String namespace) {
    return "Idle".equals(rig.cluster(namespace, "app").getStatus().phase());
  }

  private static void naming(String namespace, String set) {
    rig.admin
        .resource(rig.cluster(namespace, "app"))
        .patch(
            PatchContext.of(PatchType.JSON),
            "[{\"op\":\"replace\",\"path\":\"/spec/components/0/workload/name\",\"value\":\""
                + set
                + "\"}]");
  }

  @Test
  void the_finalizers_of_others_are_neither_lost_nor_brought_back() {
    rig.namespace("others");
    rig.set("others", "app");
    rig.cluster("others", "app", "app");
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await(
          "the set to be parked",
          () -> {
            loop.turn("others", "app");
            return finalizers("others").contains(UNPARK) && partition("others") == Workload.FROZEN;
          });
    }
    edit("others", c -> withFinalizers(c, List.of("example.com/first")));
    Sight before = look("others");
    edit("others", c -> withFinalizers(c, List.of("example.com/first", "example.com/second")));
    var finalizer = new Finalizer(rig.operator);

    finalizer.keep(before, new Decision.Done(), Rig.report(before));
    assertThat(finalizers("others")).containsExactly("example.com/first", "example.com/second");

    finalizer.keep(look("others"), new Decision.Done(), Rig.report(look("others")));
    assertThat(finalizers("others"))
        .containsExactly("example.com/first", "example.com/second", UNPARK);
  }

  @Test
  void a_deployment_is_parked_by_pausing_it_once_the_finalizer_is_there() {
    rig.namespace("deployed");
    deployment("deployed");
    rig.cluster("deployed", "app", "kind: Deployment, name: app");
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await(
          "the Deployment to be parked",
          () -> {
            loop.turn("deployed", "app");
            return paused("deployed");
          });
      assertThat(finalizers("deployed")).containsExactly(UNPARK);
    }
  }

  @Test
  void a_template_of_a_deployment_is_paused_by_the_very_write_where_no_policy_does_it() {
    rig.namespace("unguarded");
    deployment("unguarded");
    rig.cluster("unguarded", "app", "kind: Deployment, name: app");
    Sight sight = look("unguarded");
    Workload seen = sight.snapshot().components().getFirst().workload().asOptional().orElseThrow();
    var fence =
        new Fence.ObjectVersion(Fence.Kind.DEPLOYMENT, "app", seen.uid(), seen.resourceVersion());
    try (var actor =
        new KubernetesActor(
            rig.operator,
            new DriverPool(rig.operator),
            new UserActions(Clock.systemUTC(), () -> true, _ -> {}),
            new UserMigrations(rig.operator, "test", Clock.systemUTC(), _ -> {}),
            Clock.systemUTC())) {
      var step = new Step.SetTemplate("app", fence, "2", Map.of("app", "app:2"));
      assertThat(actor.act(sight, step).detail()).isEmpty();
    }
    assertThat(paused("unguarded")).isTrue();
  }

  private static void deployment(String namespace) {
    rig.create(
        namespace,
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: app}
        spec:
          replicas: 2
          selector: {matchLabels: {app: app}}
          template:
            metadata: {labels: {app: app}}
            spec:
              containers: [{name: app, image: "app:1"}]
        """);
    Rig.await(
        "its controller to have seen it",
        () -> rig.admin.pods().inNamespace(namespace).list().getItems().size() == 2);
  }

  private static boolean paused(String namespace) {
    return Boolean.TRUE.equals(
        rig.admin
            .apps()
            .deployments()
            .inNamespace(namespace)
            .withName("app")
            .require()
            .getSpec()
            .getPaused());
  }

  private static StatefulCluster withFinalizers(StatefulCluster cluster, List<String> finalizers) {
    cluster.getMetadata().setFinalizers(finalizers);
    return cluster;
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
}
