package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The schema on a real API server: what it refuses and how, what it fills in, how it reads. */
class CrdIT {

  private static final String DRY_RUN =
      "/apis/belay.dev/v1alpha1/namespaces/default/statefulclusters?dryRun=All&fieldValidation=Strict";

  @BeforeAll
  static void installed() {
    Plane.installed();
  }

  /** A spec that is refused, and what the refusal must say. */
  private record Refused(String name, @Nullable Object spec, List<String> says) {}

  @TestFactory
  Stream<DynamicTest> refuses_bad_input_with_field_value_and_cure() throws IOException {
    try (InputStream table = CrdIT.class.getResourceAsStream("/refused-specs.yaml")) {
      List<Refused> all = Serialization.unmarshal(table, new TypeReference<List<Refused>>() {});
      assertThat(all).isNotEmpty();
      return all.stream().map(r -> DynamicTest.dynamicTest(r.name, () -> refused(r)));
    }
  }

  private static void refused(Refused refused) {
    var object = new HashMap<String, @Nullable Object>();
    object.put("apiVersion", "belay.dev/v1alpha1");
    object.put("kind", "StatefulCluster");
    object.put("metadata", Map.of("name", "x"));
    object.put("spec", refused.spec);
    var refusal = catchThrowableOfType(KubernetesClientException.class, () -> post(object));
    assertThat(refusal).as("accepted: " + refused.spec).isNotNull();
    assertThat(refusal.getCode()).isEqualTo(422);
    assertThat(refusal.getMessage()).contains(refused.says);
  }

  @Test
  void an_unknown_field_is_named() {
    var refusal =
        catchThrowableOfType(KubernetesClientException.class, () -> post(rollout("surge: 1")));
    assertThat(refusal).hasMessageContaining("unknown field \"spec.components[0].rollout.surge\"");
  }

  @Test
  void ten_lines_are_enough_and_the_rest_is_filled_in() throws Exception {
    String example = Files.readString(Path.of("../examples/etcd-statefulcluster.yaml"));
    long lines = example.lines().filter(l -> !l.isBlank() && !l.startsWith("#")).count();
    assertThat(lines).isLessThanOrEqualTo(10);
    var answered = post(Serialization.unmarshal(example, Map.class));
    var component = answered.getSpec().components().getFirst();
    assertThat(answered.getSpec().trigger()).hasToString("TEMPLATE");
    assertThat(component.workload().kind()).hasToString("STATEFUL_SET");
    assertThat(component.rollout().soak()).isEqualTo("0s");
    assertThat(component.rollout().readyTimeout()).isEqualTo("10m");
    assertThat(component.rollout().progressDeadline()).isEqualTo("30m");
    assertThat(answered.getSpec().paused()).isFalse();
    assertThat(answered.getSpec().upgrade().onFailure()).hasToString("HOLD");
    assertThat(answered.getSpec().upgrade().approval()).hasToString("NONE");
    assertThat(component.rollout().tolerateUnhealthy()).isZero();
    assertThat(component.rollout().allowDowntime()).isFalse();
    assertThat(Mapping.spec(answered).components().getFirst().rollout())
        .isEqualTo(Spec.Rollout.DEFAULT);
  }

  @Test
  void good_input_is_taken() {
    for (String version : List.of("3.6.1", "v3.6.1-debian-12-r3", "0", "3.6.1+x")) {
      assertThat(post(version(version)).getSpec().version()).isEqualTo(version);
    }
    for (String soak : List.of("0s", "500ms", "20m", "1200s", "1200000ms")) {
      assertThat(post(rollout("soak: " + soak)).getSpec().components()).hasSize(1);
    }
    for (String most :
        List.of(
            "soak: 23h30m, readyTimeout: 30m, progressDeadline: 24h",
            "soak: 0s, readyTimeout: 1ms, progressDeadline: 1ms")) {
      assertThat(post(rollout(most)).getSpec().components()).hasSize(1);
    }
    for (String image :
        List.of(
            "db:{version}",
            "{registry}/db:{version}".replace("{registry}", "registry.example:5000"),
            "db-{version}:latest",
            "Registry.example/a_b/c--d:v{version}-alpine3.20",
            "registry.example/db:{version}@sha256:" + "0".repeat(64))) {
      assertThat(post(version("3.6.1").replace("db:{version}", image)).getSpec().components())
          .hasSize(1);
    }
    assertThat(
            post(requests("approve: 2.0/db/leader, retry: 2026-11-17 09:30, abort: \"\""))
                .getSpec()
                .requests()
                .retry())
        .isEqualTo("2026-11-17 09:30");
    assertThat(
            post(upgrade(
                    "onFailure: Rollback, paths: [{from: v3.5.x, to: 3.6.0}, {from: 3.x, to:"
                        + " \"4\"}]"))
                .getSpec()
                .upgrade()
                .paths())
        .extracting(p -> p.irreversible())
        .containsExactly(false, false);
    var tls = post(template("", ", tls: {secretName: t}, auth: {secretName: a}"));
    var driver = tls.getSpec().components().getFirst().driver();
    assertThat(driver.tls().caKey()).isEqualTo("ca.crt");
    assertThat(driver.tls().certKey()).isEqualTo("tls.crt");
    assertThat(driver.tls().keyKey()).isEqualTo("tls.key");
    assertThat(driver.auth().usernameKey()).isEqualTo("username");
    assertThat(driver.auth().passwordKey()).isEqualTo("password");
  }

  @Test
  void several_components_of_every_kind_and_strategy_are_taken() {
    var answered =
        post(
            components(
                "{name: a, %s, rollout: {strategy: OnDelete, maxUnavailable: 3}}, {name: b, %s}",
                "{name: x}", "{kind: Deployment, name: x}"));
    var core = Mapping.spec(answered).components();
    assertThat(core.getFirst().kind()).isEqualTo(Workload.Kind.STATEFUL_SET);
    assertThat(core.getFirst().rollout().strategy()).contains(Spec.Strategy.ON_DELETE);
    assertThat(core.getFirst().rollout().maxUnavailable()).isEqualTo(3);
    assertThat(core.getLast().kind()).isEqualTo(Workload.Kind.DEPLOYMENT);
    assertThat(core.getLast().rollout()).isEqualTo(Spec.Rollout.DEFAULT);
    String asked = "checks: {beforeUpgrade: [{tcp: {port: 80}, ask: each}]}";
    assertThat(
            post(component(asked)
                    .replace("{type: etcd}", "{type: none}")
                    .replace("{name: db},", "{kind: Deployment, name: db},"))
                .getSpec()
                .components())
        .hasSize(1);
    for (String good : List.of("strategy: Partition", "maxUnavailable: 1")) {
      assertThat(post(rollout(good)).getSpec().components()).as(good).hasSize(1);
    }
    String http = "{type: http, port: 80, http: {path: /, healthy: {is: [ok]}, minHealthy: 0}}";
    for (String driver : List.of("{type: none}", http)) {
      String set = rollout("strategy: Native").replace("{type: etcd}", driver);
      String deployment = set.replace("{name: db},", "{kind: Deployment, name: db},");
      assertThat(post(set).getSpec().components()).as(set).hasSize(1);
      assertThat(post(deployment).getSpec().components()).as(deployment).hasSize(1);
    }
    assertThat(Mapping.spec(post(upgrade("approval: BeforeComponent"))).upgrade().approval())
        .isEqualTo(Spec.Approval.BEFORE_COMPONENT);
  }

  @Test
  void explain_reads_well() {
    Plane.eventually(
        "the schema is published",
        () -> Plane.kubectl(Plane.adminKubeconfig(), "", "explain", "stc").exit() == 0);
    assertThat(words(Plane.must("", "explain", "stc")))
        .contains("DESCRIPTION: Deleting a StatefulCluster deletes and restarts nothing.");
    assertThat(words(Plane.must("", "explain", "stc.spec.components.checks")))
        .contains("before the first member of any component is touched")
        .contains("before the first member of this component is touched");
    assertThat(words(Plane.must("", "explain", "stc.spec.components.rollout")))
        .contains("soak <string>")
        .contains("How long each updated member must have been ready and healthy")
        .contains("Belay evicts the pods of a StatefulSet");
    assertThat(words(Plane.must("", "explain", "stc.status.blockedBy")))
        .contains("What makes it go away.");
    assertThat(words(Plane.must("", "explain", "stc.spec.requests")))
        .contains("Stop the roll-out where it stands");
    assertThat(words(Plane.must("", "explain", "stc.status.history")))
        .contains("How it ended: Completed, RolledBack, Failed or Aborted");
  }

  @Test
  void the_columns_are_those_of_the_design() {
    Plane.must(
        "{\"apiVersion\": \"belay.dev/v1alpha1\", \"kind\": \"StatefulCluster\", \"metadata\":"
            + " {\"name\": \"columns\", \"namespace\": \"default\"}, \"spec\": {\"components\":"
            + " [{\"name\": \"x\", \"workload\": {\"name\": \"x\"}, \"driver\": {\"type\":"
            + " \"none\"}}]}}",
        "apply",
        "-f",
        "-");
    assertThat(words(Plane.must("", "get", "stc", "columns")))
        .startsWith("NAME VERSION TARGET PHASE UPDATED READY BLOCKED-BY AGE");
    assertThat(Plane.must("", "get", "belay", "-o", "name")).contains("columns");
  }

  @Test
  void describe_reads_well() {
    Plane.must(
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: described, namespace: default}
        spec: {components: [{name: front, workload: {kind: Deployment, name: web}, driver: {type: none}}]}
        """,
        "apply",
        "-f",
        "-");
    Plane.must(
        "",
        "patch",
        "stc",
        "described",
        "--subresource=status",
        "--type=merge",
        "-p",
        """
        {"status": {"phase": "Waiting", "components": [{"name": "front", "workload": "Deployment/web", "phase": "Waiting",
          "targetVersion": "2.0", "members": [{"pod": "web-1", "revision": "5d", "healthy": "true",
          "heldBy": {"rule": "OneAtATime", "object": "web-1", "reading": "web-0 goes first"}}]}]}}
        """);
    assertThat(words(Plane.must("", "describe", "stc", "described")))
        .contains("Status: Components:")
        .contains("Name: front Phase: Waiting Target Version: 2.0 Workload: Deployment/web")
        .contains("Reading: web-0 goes first Rule: OneAtATime Pod: web-1");
  }

  private static String words(String text) {
    return text.replaceAll("\\s+", " ");
  }

  private static StatefulCluster post(String spec) {
    return post(
        Serialization.unmarshal(
            """
            apiVersion: belay.dev/v1alpha1
            kind: StatefulCluster
            metadata: {name: x}
            spec: %s
            """
                .formatted(spec),
            Map.class));
  }

  private static StatefulCluster post(Map<?, ?> object) {
    return Serialization.unmarshal(
        Plane.admin().raw(DRY_RUN, "POST", Serialization.asJson(object)), StatefulCluster.class);
  }

  private static String version(String version) {
    return "{trigger: Version, version: \""
        + version
        + "\", components: [{name: db, workload: {name: db}, driver: {type: etcd}, images: {db:"
        + " \"db:{version}\"}}]}";
  }

  private static String template(String workload, String driver) {
    return "{components: [{name: db, workload: {"
        + workload
        + "name: my-db}, driver: {type: etcd"
        + driver
        + "}}]}";
  }

  /** Components with driver none, the workloads put in their places. */
  private static String components(String form, String... workloads) {
    Object[] filled =
        Stream.of(workloads).map(w -> "workload: " + w + ", driver: {type: none}").toArray();
    return "{components: [" + form.formatted(filled) + "]}";
  }

  private static String component(String more) {
    return "{components: [{name: db, workload: {name: db}, driver: {type: etcd}, " + more + "}]}";
  }

  private static String upgrade(String more) {
    return template("", "").replace("{components", "{upgrade: {" + more + "}, components");
  }

  private static String requests(String more) {
    return template("", "").replace("{components", "{requests: {" + more + "}, components");
  }

  private static String rollout(String more) {
    return component("rollout: {" + more + "}");
  }
}
