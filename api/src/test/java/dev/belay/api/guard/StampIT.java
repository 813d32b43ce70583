package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.api.v1alpha1.Annotations;
import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who asked is what the API server saw, and nobody can write another name. */
class StampIT {

  private static final String NAMESPACE = "stamps";
  private static final String ADMIN = "root-of-all";
  private static final String APPROVE = "{\"spec\": {\"requests\": {\"approve\": \"%s\"}}}";
  private static final String MARK = "{\"metadata\": {\"annotations\": {\"%s\": %s}}}";

  @BeforeAll
  static void policies() {
    Plane.installed();
    World.accounts();
    World.namespace(NAMESPACE);
    Plane.eventually(
        "the stamp is there",
        () -> stamps(created("probe", "dev", Map.of(), "approve: x")).containsValue("dev"));
  }

  @AfterAll
  static void gone() {
    Plane.must("", "delete", "namespace", NAMESPACE, "--wait=false");
  }

  @Test
  void whoever_creates_a_request_has_asked_for_it() {
    var cluster = created("create", "dev", Map.of(Annotations.FORCE, "true"), "retry: a");
    assertThat(stamps(cluster))
        .isEqualTo(Map.of(Annotations.REQUESTED_BY, "dev", Annotations.FORCED_BY, "dev"));
    assertThat(Mapping.spec(cluster).requests().by()).isEqualTo("dev");
    assertThat(Mapping.spec(cluster).force().by()).isEqualTo("dev");
  }

  @Test
  void a_name_that_signs_nothing_is_not_stored() {
    var forged = Map.of(Annotations.REQUESTED_BY, "boss", Annotations.FORCED_BY, "boss");
    assertThat(stamps(created("forged-create", "dev", forged, ""))).isEmpty();
    assertThat(created("plain", "dev", Map.of(), "").getMetadata().getAnnotations())
        .isNullOrEmpty();
  }

  @Test
  void a_forged_name_becomes_the_real_one() {
    var forged = Map.of(Annotations.REQUESTED_BY, "boss", Annotations.FORCED_BY, "boss");
    assertThat(stamps(created("forged-request", "dev", forged, "abort: x")))
        .isEqualTo(Map.of(Annotations.REQUESTED_BY, "dev"));
    assertThat(
            stamps(
                patched(
                    "forged-request",
                    "admin",
                    "{\"metadata\": {\"annotations\": {\"belay.dev/requested-by\": \"dev\"}}, "
                        + "\"spec\": {\"requests\": {\"abort\": \"y\"}}}")))
        .isEqualTo(Map.of(Annotations.REQUESTED_BY, ADMIN));
  }

  @Test
  void a_name_alone_can_be_neither_changed_nor_removed() {
    created("alone", "dev", Map.of(Annotations.FORCE, "true"), "approve: a");
    var real = Map.of(Annotations.APPROVED_BY, "dev", Annotations.FORCED_BY, "dev");
    for (String by : real.keySet()) {
      for (String value : List.of("\"boss\"", "\"\"", "null")) {
        assertThat(stamps(patched("alone", "admin", MARK.formatted(by, value)))).isEqualTo(real);
      }
    }
    assertThat(stamps(patched("alone", "admin", "{\"metadata\": {\"annotations\": null}}")))
        .as("the force goes, and with it who asked for it")
        .isEqualTo(Map.of(Annotations.APPROVED_BY, "dev"));
  }

  @Test
  void a_replace_without_annotations_keeps_who_asked() {
    created("replaced", "dev", Map.of(), "approve: a");
    Plane.must(manifest("replaced", Map.of(), "approve: a"), "replace", "-f", "-");
    assertThat(stamps(live("replaced"))).isEqualTo(Map.of(Annotations.APPROVED_BY, "dev"));
  }

  @Test
  void other_edits_sign_nothing() {
    created("other", "dev", Map.of(), "approve: a");
    assertThat(stamps(patched("other", "admin", "{\"spec\": {\"paused\": true}}")))
        .isEqualTo(Map.of(Annotations.APPROVED_BY, "dev"));
    assertThat(stamps(patched("other", "admin", APPROVE.formatted("a"))))
        .as("the same request again is not another one")
        .isEqualTo(Map.of(Annotations.APPROVED_BY, "dev"));
    assertThat(stamps(patched("other", "admin", APPROVE.formatted("b"))))
        .isEqualTo(Map.of(Annotations.APPROVED_BY, ADMIN));
  }

  @Test
  void whoever_asks_for_something_else_has_not_approved() {
    created("two-people", "dev", Map.of(), "approve: a");
    String retry = "{\"spec\": {\"requests\": {\"retry\": \"r\"}}}";
    assertThat(stamps(patched("two-people", "admin", retry)))
        .isEqualTo(Map.of(Annotations.APPROVED_BY, "dev", Annotations.REQUESTED_BY, ADMIN));
    assertThat(stamps(patched("two-people", "admin", APPROVE.formatted("b"))))
        .isEqualTo(Map.of(Annotations.APPROVED_BY, ADMIN, Annotations.REQUESTED_BY, ADMIN));
    assertThat(stamps(patched("two-people", "dev", retry.replace("\"r\"", "null"))))
        .as("the other request is gone, and with it who asked for it")
        .isEqualTo(Map.of(Annotations.APPROVED_BY, ADMIN));
    var spec = Mapping.spec(live("two-people")).requests();
    assertThat(spec.approvedBy()).isEqualTo(ADMIN);
    assertThat(spec.by()).isEmpty();
  }

  @Test
  void without_requests_nobody_has_asked() {
    created("withdrawn", "dev", Map.of(), "approve: a");
    assertThat(stamps(patched("withdrawn", "dev", "{\"spec\": {\"requests\": null}}"))).isEmpty();
    assertThat(stamps(patched("withdrawn", "admin", APPROVE.formatted("a"))))
        .isEqualTo(Map.of(Annotations.APPROVED_BY, ADMIN));
  }

  @Test
  void another_value_of_the_force_is_another_asking() {
    created("force", "dev", Map.of(Annotations.FORCE, "yes"), "");
    assertThat(stamps(patched("force", "dev", "{\"spec\": {\"paused\": true}}")))
        .isEqualTo(Map.of(Annotations.FORCED_BY, "dev"));
    assertThat(stamps(patched("force", "admin", MARK.formatted(Annotations.FORCE, "\"true\""))))
        .isEqualTo(Map.of(Annotations.FORCED_BY, ADMIN));
  }

  @Test
  void the_operator_takes_the_force_away_unless_somebody_was_faster() {
    created("spent", "dev", Map.of(Annotations.FORCE, "true"), "retry: a");
    String seen = live("spent").getMetadata().getResourceVersion();
    patched("spent", "dev", "{\"spec\": {\"paused\": true}}");
    var stale = catchThrowableOfType(KubernetesClientException.class, () -> unforce("spent", seen));
    assertThat(stale.getCode()).isEqualTo(409);
    assertThat(Mapping.spec(live("spent")).force().by()).isEqualTo("dev");
    unforce("spent", live("spent").getMetadata().getResourceVersion());
    assertThat(live("spent").getMetadata().getAnnotations())
        .doesNotContainKeys(Annotations.FORCE, Annotations.FORCED_BY)
        .containsEntry(Annotations.REQUESTED_BY, "dev");
  }

  @Test
  void git_that_applies_the_same_again_changes_nothing() {
    String manifest = manifest("git", Map.of(), "approve: a");
    String[] apply = {"apply", "--server-side", "--field-manager=git", "-f", "-"};
    assertThat(Plane.kubectl(World.kubeconfig("dev"), manifest, apply).exit()).isZero();
    String version = live("git").getMetadata().getResourceVersion();
    var again = Plane.kubectl(World.kubeconfig("admin"), manifest, apply);
    assertThat(again.exit()).as(again.all()).isZero();
    assertThat(live("git").getMetadata().getResourceVersion()).isEqualTo(version);
    assertThat(stamps(live("git"))).isEqualTo(Map.of(Annotations.APPROVED_BY, "dev"));
    String other = manifest("git", Map.of(), "approve: b");
    assertThat(Plane.kubectl(World.kubeconfig("admin"), other, apply).exit()).isZero();
    assertThat(stamps(live("git"))).isEqualTo(Map.of(Annotations.APPROVED_BY, ADMIN));
  }

  @Test
  void the_status_is_no_way_around_it() {
    created("status", "dev", Map.of(), "approve: a");
    on("status", World.client("owner"))
        .subresource("status")
        .patch(merge(), "{\"metadata\": {\"annotations\": {\"belay.dev/approved-by\": \"boss\"}}}");
    assertThat(stamps(live("status"))).isEqualTo(Map.of(Annotations.APPROVED_BY, "dev"));
  }

  private static void unforce(String name, String resourceVersion) {
    on(name, World.client("owner"))
        .patch(
            merge(),
            "{\"metadata\": {\"resourceVersion\": \"%s\", \"annotations\": {\"%s\": null}}}"
                .formatted(resourceVersion, Annotations.FORCE));
  }

  private static StatefulCluster created(
      String name, String who, Map<String, String> annotations, String requests) {
    on(name, Plane.admin()).delete();
    return World.client(who)
        .resource(
            Serialization.unmarshal(manifest(name, annotations, requests), StatefulCluster.class))
        .create();
  }

  private static StatefulCluster patched(String name, String who, String patch) {
    return on(name, World.client(who)).patch(merge(), patch);
  }

  private static StatefulCluster live(String name) {
    return on(name, Plane.admin()).require();
  }

  private static Resource<StatefulCluster> on(String name, KubernetesClient client) {
    return client.resources(StatefulCluster.class).inNamespace(NAMESPACE).withName(name);
  }

  private static PatchContext merge() {
    return PatchContext.of(PatchType.JSON_MERGE);
  }

  private static Map<String, String> stamps(StatefulCluster cluster) {
    var stamps =
        new TreeMap<>(Optional.ofNullable(cluster.getMetadata().getAnnotations()).orElse(Map.of()));
    stamps
        .keySet()
        .retainAll(
            List.of(Annotations.APPROVED_BY, Annotations.REQUESTED_BY, Annotations.FORCED_BY));
    return stamps;
  }

  private static String manifest(String name, Map<String, String> annotations, String requests) {
    var lines = new ArrayList<String>();
    annotations.forEach((key, value) -> lines.add("    " + key + ": \"" + value + "\""));
    return """
    apiVersion: belay.dev/v1alpha1
    kind: StatefulCluster
    metadata:
      name: %s
      namespace: %s
    %s
    spec:
      components: [{name: db, workload: {name: db}, driver: {type: none}}]
    %s
    """
        .formatted(
            name,
            NAMESPACE,
            lines.isEmpty() ? "" : "  annotations:\n" + String.join("\n", lines),
            requests.isEmpty() ? "" : "  requests: {" + requests + "}");
  }
}
