package dev.belay.operator.act;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.operator.DriverPool;
import dev.belay.operator.actions.UserActions;
import dev.belay.operator.migrations.UserMigrations;
import dev.belay.operator.observe.KubernetesObserver.Behind;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.observe.Live;
import dev.belay.operator.wire.Listener;
import dev.belay.operator.wire.Listener.Told;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The request of each write carries the uid and the resourceVersion of its fence: without them a
 * late write changes an object that has moved since.
 */
class ConditionalWritesTest {

  private static final Instant T = Instant.parse("2030-01-01T00:00:00Z");
  private static final Fence.ObjectVersion SET =
      new Fence.ObjectVersion(Fence.Kind.STATEFUL_SET, "db", "set-uid", "41");
  private static final Fence.ObjectVersion DEPLOYMENT =
      new Fence.ObjectVersion(Fence.Kind.DEPLOYMENT, "web", "deployment-uid", "42");
  private static final Fence.ObjectVersion POD =
      new Fence.ObjectVersion(Fence.Kind.POD, "db-2", "pod-uid", "43");
  private static final String SET_PATH = "/apis/apps/v1/namespaces/ns/statefulsets/db";
  private static final String DEPLOYMENT_PATH = "/apis/apps/v1/namespaces/ns/deployments/web";
  private static final String POD_PATH = "/api/v1/namespaces/ns/pods/db-2";

  private final UserActions actions = new UserActions(clock(), () -> true, _ -> {});
  private Listener server;
  private KubernetesClient client;
  private KubernetesActor actor;

  @BeforeEach
  void listen() throws IOException {
    server = new Listener().saying("{\"kind\":\"Status\",\"status\":\"Success\"}");
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://" + Listener.HOST + ":" + server.port())
                    .build())
            .build();
    actor =
        new KubernetesActor(
            client,
            new DriverPool(client),
            actions,
            new UserMigrations(client, "test", clock(), _ -> {}),
            clock());
  }

  @AfterEach
  void close() {
    actor.close();
    client.close();
    actions.close();
    server.close();
  }

  static Stream<Step> writes_of_a_set() {
    return Stream.of(
        new Step.Release("db", SET, 2, "db-2"),
        new Step.Retract("db", SET, 3, "db-2"),
        new Step.Freeze("db", SET, "the guard was passed by"),
        new Step.Force("db", SET, 0, "ann"),
        new Step.Rest("db", SET, Workload.FROZEN),
        new Step.SetTemplate("db", SET, "2", Map.of("db", "db:2")),
        new Step.Revoke("db", SET, "s1", "release db-2"));
  }

  @ParameterizedTest
  @MethodSource("writes_of_a_set")
  void a_write_to_a_set_is_conditional(Step step) {
    Told told = sent(step);

    assertThat(told.path()).startsWith(SET_PATH + "?");
    assertThat(condition(told)).isEqualTo("set-uid/41");
  }

  static Stream<Step> writes_of_a_deployment() {
    return Stream.of(
        new Step.LetRoll("web", DEPLOYMENT),
        new Step.Rest("web", DEPLOYMENT, Workload.FROZEN),
        new Step.SetTemplate("web", DEPLOYMENT, "2", Map.of("web", "web:2")),
        new Step.Revoke("web", DEPLOYMENT, "s1", "let the controller roll web"));
  }

  @ParameterizedTest
  @MethodSource("writes_of_a_deployment")
  void a_write_to_a_deployment_is_conditional(Step step) {
    Told told = sent(step);

    assertThat(told.path()).startsWith(DEPLOYMENT_PATH + "?");
    assertThat(condition(told)).isEqualTo("deployment-uid/42");
  }

  @Test
  void only_the_stop_of_a_deployment_needs_no_resource_version() {
    JsonNode metadata = metadata(sent(new Step.Freeze("web", DEPLOYMENT, "it failed")));

    assertThat(metadata.path("uid").asText()).isEqualTo("deployment-uid");
    assertThat(metadata.has("resourceVersion")).isFalse();
  }

  @Test
  void the_removal_of_a_pod_is_conditional() {
    Told deleted = sent(new Step.RecreatePod("db", POD, "db-2", "pod-uid", "it is out"));
    assertThat(deleted.method() + " " + deleted.path()).isEqualTo("DELETE " + POD_PATH);
    assertThat(preconditions(json(deleted))).isEqualTo("pod-uid/43");
  }

  @Test
  void an_eviction_is_conditional() {
    Told evicted = sent(new Step.Evict("db", POD, "db-2", "pod-uid"));
    assertThat(evicted.path()).isEqualTo(POD_PATH + "/eviction");
    assertThat(preconditions(json(evicted).path("deleteOptions"))).isEqualTo("pod-uid/43");
  }

  @Test
  void a_conflict_is_neither_retried_nor_taken_for_success() {
    server.answering(409).saying("{\"kind\":\"Status\",\"message\":\"modified\",\"code\":409}");

    Acted acted = actor.act(sight(), new Step.Release("db", SET, 2, "db-2"));

    assertThat(acted).isEqualTo(new Acted(false, "409 modified"));
    assertThat(server.told()).hasSize(1);
  }

  private Told sent(Step step) {
    assertThat(actor.act(sight(), step)).isEqualTo(new Acted(true, ""));
    assertThat(server.told()).hasSize(1);
    return server.told().getFirst();
  }

  private static JsonNode json(Told told) {
    return Serialization.unmarshal(told.body(), JsonNode.class);
  }

  private static JsonNode metadata(Told told) {
    assertThat(told.method()).isEqualTo("PATCH");
    return json(told).path("metadata");
  }

  private static String condition(Told told) {
    JsonNode metadata = metadata(told);
    return metadata.path("uid").asText() + "/" + metadata.path("resourceVersion").asText();
  }

  private static String preconditions(JsonNode options) {
    JsonNode only = options.path("preconditions");
    return only.path("uid").asText() + "/" + only.path("resourceVersion").asText();
  }

  private static Clock clock() {
    return Clock.fixed(T, ZoneOffset.UTC);
  }

  private static Sight sight() {
    StatefulCluster cluster =
        Serialization.unmarshal(
            """
            apiVersion: belay.dev/v1alpha1
            kind: StatefulCluster
            metadata: {name: db, namespace: ns, uid: cluster-uid}
            spec:
              components:
              - {name: db, workload: {name: db}, driver: {type: none}}
              - {name: web, workload: {kind: Deployment, name: web}, driver: {type: none}}
            """,
            StatefulCluster.class);
    var snapshot =
        new Snapshot(
            new Snapshot.Subject("ns", "db", 1, "1", false),
            new Snapshot.Self("belay", "one", "account"),
            Mapping.spec(cluster),
            List.of(),
            Memory.EMPTY,
            T);
    return new Sight(snapshot, cluster, Map.of("db", behind(set()), "web", behind(deployment())));
  }

  private static Behind behind(Live workload) {
    return new Behind(Fact.known(workload), List.of());
  }

  /** As it is behind the decision, not as it is now: its own versions must not be used. */
  private static Live set() {
    return new Live.Set(
        new StatefulSetBuilder()
            .withNewMetadata()
            .withName("db")
            .withUid("other-uid")
            .withResourceVersion("99")
            .endMetadata()
            .withNewSpec()
            .withNewTemplate()
            .withNewSpec()
            .withContainers(new ContainerBuilder().withName("db").withImage("db:1").build())
            .endSpec()
            .endTemplate()
            .endSpec()
            .build());
  }

  private static Live deployment() {
    return new Live.Deployed(
        new DeploymentBuilder()
            .withNewMetadata()
            .withName("web")
            .withUid("other-uid")
            .withResourceVersion("99")
            .endMetadata()
            .withNewSpec()
            .withNewTemplate()
            .withNewSpec()
            .withContainers(new ContainerBuilder().withName("web").withImage("web:1").build())
            .endSpec()
            .endTemplate()
            .endSpec()
            .build());
  }
}
