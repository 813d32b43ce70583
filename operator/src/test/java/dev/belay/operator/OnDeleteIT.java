package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.model.Component;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
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
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A set whose updateStrategy is OnDelete as a component, and evictions. */
class OnDeleteIT {

  private static Rig rig;

  @BeforeAll
  static void start() {
    rig = Rig.start();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  private static void set(String namespace) {
    rig.namespace(namespace);
    rig.set(namespace, "app");
    rig.admin
        .apps()
        .statefulSets()
        .inNamespace(namespace)
        .withName("app")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"updateStrategy\":{\"type\":\"OnDelete\",\"rollingUpdate\":null}}}");
    rig.cluster(namespace, "app", "app");
  }

  private static StatefulSet live(String namespace) {
    return rig.set(namespace, "app", true);
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
    return new Fence.ObjectVersion(Fence.Kind.STATEFUL_SET, w.name(), w.uid(), w.resourceVersion());
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

  private static Step evict(Pod pod, String resourceVersion) {
    var fence = new Fence.ObjectVersion(Fence.Kind.POD, pod.name(), pod.uid(), resourceVersion);
    return new Step.Evict("app", fence, pod.name(), pod.uid());
  }

  private static String uid(String namespace, String pod) {
    var found = rig.admin.pods().inNamespace(namespace).withName(pod).get();
    return found == null ? "" : found.getMetadata().getUid();
  }

  @Test
  void it_guards_itself_and_has_no_partition() {
    set("reads");
    assertThat(component(look("reads")).guard()).isInstanceOf(Fact.Unknown.class);
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await(
          "the mark",
          () -> {
            loop.turn("reads", "app");
            return look("reads")
                .behind()
                .get("app")
                .workload()
                .asOptional()
                .orElseThrow()
                .mark()
                .present();
          });
    }
    Sight sight = look("reads");
    assertThat(seen(sight).update()).isEqualTo(Workload.Update.ON_DELETE);
    assertThat(seen(sight).partition()).isZero();
    assertThat(component(sight).guard().is(Guarding.ON_DELETE)).isTrue();
    assertThat(component(sight).podList()).extracting(Pod::ordinal).containsExactly(0, 1, 2);

    Acted parked = act(sight, new Step.Rest("app", fence(sight), Workload.FROZEN));
    assertThat(parked.accepted()).isFalse();
    assertThat(live("reads").getSpec().getUpdateStrategy().getType()).isEqualTo("OnDelete");
  }

  @Test
  void its_template_is_written_and_nothing_else() {
    set("template");
    live("template");
    Sight sight = look("template");

    Acted acted =
        act(sight, new Step.SetTemplate("app", fence(sight), "2", Map.of("app", "app:2")));

    assertThat(acted.accepted()).as(acted.detail()).isTrue();
    StatefulSet after = live("template");
    assertThat(after.getSpec().getUpdateStrategy().getType()).isEqualTo("OnDelete");
    assertThat(after.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage())
        .isEqualTo("app:2");
    assertThat(component(look("template")).podList())
        .hasSize(3)
        .noneMatch(p -> p.revision().equals(seen(look("template")).updateRevision()));

    Sight left = look("template");
    new Announcer(rig.operator, "test").farewell(left.cluster(), left.snapshot(), Rig.report(left));
    assertThat(rig.admin.v1().events().inNamespace("template").list().getItems())
        .filteredOn(e -> "LeftMidway".equals(e.getReason()))
        .singleElement()
        .satisfies(e ->
            assertThat(e.getMessage()).contains("StatefulSet app").contains("delete its pods"));
  }

  @Test
  void a_pod_that_changed_meanwhile_is_not_evicted_and_one_that_did_not_comes_back_new() {
    set("evict");
    live("evict");
    Sight before = look("evict");
    act(before, new Step.SetTemplate("app", fence(before), "2", Map.of("app", "app:2")));
    live("evict");
    Sight sight = look("evict");
    Pod pod = component(sight).podList().getFirst();

    Acted stale = act(sight, evict(pod, "1"));
    assertThat(stale.accepted()).isFalse();
    assertThat(stale.detail()).contains("409");
    assertThat(uid("evict", pod.name())).isEqualTo(pod.uid());

    Acted acted = act(sight, evict(pod, pod.resourceVersion()));
    assertThat(acted.accepted()).as(acted.detail()).isTrue();
    Rig.await(
        "another pod in its place",
        () -> {
          Sight after = look("evict");
          return component(after).podList().stream()
              .filter(p -> p.name().equals(pod.name()))
              .anyMatch(p -> p.revision().equals(seen(after).updateRevision()));
        });
  }

  @Test
  void a_budget_that_allows_nothing_refuses_in_its_own_words() {
    set("budget");
    live("budget");
    rig.create(
        "budget",
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {name: nobody-leaves}
        spec: {minAvailable: 3, selector: {matchLabels: {app: app}}}
        """);
    Pod pod = component(look("budget")).podList().getLast();
    // A pending pod is not protected by any budget, and there is no node in this rig to run one.
    rig.admin
        .pods()
        .inNamespace("budget")
        .withName(pod.name())
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":{\"phase\":\"Running\"}}");
    Rig.await(
        "the budget to be counted",
        () -> {
          var status =
              rig.admin
                  .policy()
                  .v1()
                  .podDisruptionBudget()
                  .inNamespace("budget")
                  .withName("nobody-leaves")
                  .get()
                  .getStatus();
          return status != null && Integer.valueOf(3).equals(status.getExpectedPods());
        });
    Sight sight = look("budget");
    Pod running = component(sight).podList().getLast();

    Acted refused = act(sight, evict(running, running.resourceVersion()));

    assertThat(refused.accepted()).isFalse();
    assertThat(refused.detail())
        .startsWith("429 ")
        .contains("disruption budget nobody-leaves needs 3 healthy pods")
        .doesNotContain("Received status");
    assertThat(uid("budget", running.name())).isEqualTo(running.uid());
  }
}
