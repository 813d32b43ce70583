package dev.belay.api.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the chart renders, by both major versions of helm, without a cluster. */
class ChartE2E {

  private static final String V1 =
      "--api-versions=admissionregistration.k8s.io/v1/MutatingAdmissionPolicy";
  private static final String V1BETA1 =
      "--api-versions=admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy";

  @ParameterizedTest
  @EnumSource(Helm.class)
  void lints_without_a_warning(Helm helm) {
    var answer = helm.lint("--strict", "--set=" + Helm.REPOSITORY);
    assertThat(answer.said()).contains("0 chart(s) failed").doesNotContain("[WARNING]", "[ERROR]");
    assertThat(answer.exit()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          replicas=2                 | image.repository is empty, and no image of Belay is published yet; fix: push an image
          image.repository=größe     | repository
          image.repository=reg.example.com/belay:0.1 | repository
          image.repository=https://reg.example.com/belay | repository
          image.tag=a b              | tag
          image.digest=sha256:abc    | digest
          replica=2                  | 'replica' not allowed
          image.name=x               | 'name' not allowed
          replicas=-1                | /replicas
          replicas=two               | /replicas
          maxUpgrades=-1             | /maxUpgrades
          labelSelector={a,b}        | /labelSelector
          labelSelector.tier=gold    | /labelSelector
          labelSelector=größe=1      | labelSelector "größe=1" is not a label selector; fix: write it as kubectl get -l takes it
          labelSelector=a in (b      | is not a label selector; fix:
          labelSelector=a==b=c       | is not a label selector; fix:
          labelSelector=disks>four   | is not a label selector; fix:
          labelSelector=disks>       | is not a label selector; fix:
          labelSelector=A.com/a=b    | is not a label selector; fix:
          labelSelector=a..b/c       | is not a label selector; fix:
          prometheusRule.enabled=true | fix: --set podMonitor.enabled=true, or set prometheusRule.job
          namespaces=db              | /namespaces
          namespaces={Größe}         | /namespaces/0
          namespaces={db,db}         | /namespaces
          secrets.namespaces={_}     | /secrets/namespaces/0
          nodes.read=false           | nodes.read is false, and without namespaces
          otherInstalls.namespaces={canary} | otherInstalls.namespaces is [canary], and without namespaces
          guard.mode=webhook         | /guard/mode
          shared.create=maybe        | /shared/create
          """)
  void a_bad_value_is_refused_with_the_field_and_the_fix(String value, String said) {
    List<String> arguments = new ArrayList<>(List.of("--set=" + value));
    if (!value.startsWith("replicas=2")) {
      arguments.add(0, "--set=" + Helm.REPOSITORY);
    }
    var answer = Helm.FOUR.template("belay", arguments.toArray(String[]::new));
    assertThat(answer.exit()).as("%s: %s", value, answer.said()).isNotZero();
    assertThat(answer.said()).contains(said);
  }

  @Test
  void secrets_of_a_namespace_that_the_operator_does_not_work_in_are_refused() {
    var answer =
        Helm.FOUR.template(
            "belay",
            "--set=" + Helm.REPOSITORY,
            "--set=namespaces={db}",
            "--set=secrets.namespaces={db,queues}");
    assertThat(answer.exit()).isNotZero();
    assertThat(answer.said())
        .contains("secrets.namespaces has queues", "fix: add queues to namespaces");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "managed-by=v1",
        "tier!=test",
        "env in (prod\\,stage)",
        "!legacy",
        "a == b\\, !c \\, d",
        "example.com/tier notin (a\\, )",
        "disks>4",
        "a="
      })
  void a_selector_of_kubectl_is_taken_as_it_is(String selector) {
    String wanted = selector.replace("\\", "");
    var operator = deployment(Helm.THREE.render("belay", "--set=labelSelector=" + selector));
    assertThat(arguments(operator))
        .isEqualTo(
            wanted.isEmpty()
                ? List.of("--install=belay")
                : List.of("--install=belay", "--selector=" + wanted));
  }

  @ParameterizedTest
  @EnumSource(Helm.class)
  void names_carry_the_release_except_those_of_shared_objects(Helm helm) {
    assertThat(names(helm.render("belay", V1)))
        .containsExactlyInAnyOrder(
            "ServiceAccount/belay-operator",
            "Deployment/belay-operator",
            "PodDisruptionBudget/belay-operator",
            "ClusterRole/belay-operator",
            "ClusterRole/belay-operator-secrets",
            "ClusterRoleBinding/belay-operator",
            "Role/belay-operator-leases",
            "RoleBinding/belay-operator-leases",
            "Job/belay-uninstall",
            "CustomResourceDefinition/statefulclusters.belay.dev",
            "ClusterRole/belay-admin",
            "ClusterRole/belay-edit",
            "ClusterRole/belay-view",
            "MutatingAdmissionPolicy/belay-guard",
            "MutatingAdmissionPolicyBinding/belay-guard",
            "ValidatingAdmissionPolicy/belay-guard",
            "ValidatingAdmissionPolicyBinding/belay-guard",
            "MutatingAdmissionPolicy/belay-guard-adopt",
            "MutatingAdmissionPolicyBinding/belay-guard-adopt",
            "MutatingAdmissionPolicy/belay-stamp",
            "MutatingAdmissionPolicyBinding/belay-stamp");
    var canary = helm.render("canary", "--set=shared.create=false", "--set=maxUpgrades=5");
    assertThat(names(canary)).allMatch(name -> name.contains("/canary-belay-"));
    assertThat(arguments(deployment(canary)))
        .containsExactly("--install=canary-belay", "--max-upgrades=5");
    assertThat(arguments(one(canary, "Job")))
        .containsExactly("--install=canary-belay", "--uninstall");
    assertThat(names(helm.render("belay-0.2", "--set=shared.create=false")))
        .contains("Deployment/belay-0-2-operator");
    assertThat(helm.template("r".repeat(53), "--set=" + Helm.REPOSITORY).said())
        .contains("has 53 characters", "fix: choose a name of at most 47 characters");
  }

  @ParameterizedTest
  @EnumSource(Helm.class)
  void shared_objects_are_kept_and_no_others(Helm helm) {
    for (var object :
        helm.render(
            "belay", V1, "--set=podMonitor.enabled=true", "--set=prometheusRule.enabled=true")) {
      boolean shared =
          object
              .getMetadata()
              .getName()
              .matches(
                  "statefulclusters.belay.dev|belay-(edit|view|admin|guard|guard-adopt|stamp)");
      String policy =
          Optional.ofNullable(object.getMetadata().getAnnotations())
              .map(marks -> marks.get("helm.sh/resource-policy"))
              .orElse("");
      assertThat(policy).as(name(object)).isEqualTo(shared ? "keep" : "");
    }
  }

  /** Only a ClusterRole can give nodes, which belong to no namespace. */
  @ParameterizedTest
  @EnumSource(Helm.class)
  void with_namespaces_all_rights_are_roles(Helm helm) {
    String[] values = {
      "--namespace=belay-system",
      "--set=shared.create=false",
      "--set=namespaces={db,cache}",
      "--set=secrets.namespaces={db}",
      "--set=otherInstalls.namespaces={canary,belay-system}"
    };
    var objects = helm.render("belay", values);
    assertThat(cluster(objects))
        .containsExactlyInAnyOrder(
            "ClusterRole/belay-operator-nodes", "ClusterRoleBinding/belay-operator-nodes");
    assertThat(arguments(deployment(objects)))
        .containsExactly("--install=belay", "--namespace=db,cache");
    assertThat(
            objects.stream()
                .filter(o -> o.getKind().equals("Role"))
                .map(o -> o.getMetadata().getNamespace() + "/" + o.getMetadata().getName()))
        .containsExactlyInAnyOrder(
            "db/belay-operator",
            "cache/belay-operator",
            "db/belay-operator-secrets",
            "belay-system/belay-operator-leases",
            "canary/belay-operator-leases");
    List<String> without = new ArrayList<>(List.of(values));
    without.add("--set=nodes.read=false");
    assertThat(cluster(helm.render("belay", without.toArray(String[]::new)))).isEmpty();
  }

  private static List<String> cluster(List<GenericKubernetesResource> objects) {
    return names(objects).stream().filter(name -> name.startsWith("Cluster")).toList();
  }

  @ParameterizedTest
  @EnumSource(Helm.class)
  void secrets_are_read_where_a_rolebinding_says_so(Helm helm) {
    var objects = helm.render("belay", "--set=secrets.namespaces={db,cache}");
    for (var object : objects) {
      if (object.getKind().equals("ClusterRole")
          && Serialization.asYaml(object).contains("secrets")) {
        assertThat(object.getMetadata().getName()).isEqualTo("belay-operator-secrets");
      }
      assertThat(name(object)).isNotEqualTo("ClusterRoleBinding/belay-operator-secrets");
    }
    assertThat(
            objects.stream()
                .filter(o -> name(o).equals("RoleBinding/belay-operator-secrets"))
                .map(o -> o.getMetadata().getNamespace()))
        .containsExactly("db", "cache");
  }

  @ParameterizedTest
  @EnumSource(Helm.class)
  void the_guard_fits_the_api_server(Helm helm) {
    assertThat(policies(helm.render("belay")))
        .containsExactly("v1/Validating belay-guard", "v1/Validating belay-stamp");
    assertThat(policies(helm.render("belay", V1BETA1)))
        .containsExactly(
            "v1/Validating belay-guard",
            "v1beta1/Mutating belay-guard",
            "v1beta1/Mutating belay-guard-adopt",
            "v1beta1/Mutating belay-stamp");
    List<String> full =
        List.of(
            "v1/Mutating belay-guard",
            "v1/Mutating belay-guard-adopt",
            "v1/Mutating belay-stamp",
            "v1/Validating belay-guard");
    assertThat(policies(helm.render("belay", V1, V1BETA1))).isEqualTo(full);
    assertThat(policies(helm.render("belay", "--kube-version=1.36.0", "--set=guard.mode=policy")))
        .isEqualTo(full);
    assertThat(policies(helm.render("belay", V1, "--set=guard.mode=parked")))
        .containsExactly("v1/Validating belay-guard", "v1/Validating belay-stamp");
    var old =
        helm.template(
            "belay",
            "--set=" + Helm.REPOSITORY,
            "--set=guard.mode=policy",
            "--kube-version=1.33.0");
    assertThat(old.said())
        .contains("guard.mode is policy, and Kubernetes", "fix: --set guard.mode=auto");
  }

  private static List<String> policies(List<GenericKubernetesResource> objects) {
    return objects.stream()
        .filter(o -> o.getKind().endsWith("AdmissionPolicy"))
        .map(o ->
            "%s %s"
                .formatted(
                    (o.getApiVersion() + "/" + o.getKind())
                        .replace("admissionregistration.k8s.io/", "")
                        .replace("AdmissionPolicy", ""),
                    o.getMetadata().getName()))
        .sorted()
        .toList();
  }

  @ParameterizedTest
  @EnumSource(Helm.class)
  void replicas_are_spread_and_a_budget_needs_two_of_them(Helm helm) {
    assertThat(names(helm.render("belay", "--set=replicas=1")))
        .doesNotContain("PodDisruptionBudget/belay-operator");
    assertThat(
            json(deployment(helm.render("belay")))
                .at(
                    "/spec/template/spec/affinity/podAntiAffinity"
                        + "/preferredDuringSchedulingIgnoredDuringExecution/0/podAffinityTerm"
                        + "/topologyKey")
                .asText())
        .isEqualTo("kubernetes.io/hostname");
    var tuned =
        helm.render(
            "belay",
            "--set=image.digest=sha256:" + "0".repeat(64),
            "--set=image.tag=v2",
            "--set=imagePullSecrets[0].name=pull",
            "--set=priorityClassName=high",
            "--set=nodeSelector.disk=fast",
            "--set=tolerations[0].operator=Exists",
            "--set=networkPolicy.enabled=true",
            "--set=networkPolicy.from[0].podSelector.matchLabels.app=prometheus",
            "--set=podMonitor.enabled=true",
            "--set=podMonitor.labels.release=prom");
    assertThat(names(tuned)).contains("NetworkPolicy/belay-operator", "PodMonitor/belay-operator");
    for (String kind : List.of("Deployment", "Job")) {
      var pod = one(tuned, kind);
      assertThat(Serialization.asYaml(pod))
          .contains("registry.example.com/belay-operator:v2@sha256:000", "disk: \"fast\"")
          .contains("operator: \"Exists\"", "priorityClassName: \"high\"", "name: \"pull\"");
    }
  }

  /** Both render the same; deploy/ is that for a release belay, without what only Helm needs. */
  @ParameterizedTest
  @EnumSource(Helm.class)
  void deploy_is_what_the_chart_renders(Helm helm) throws IOException {
    var rendered =
        new ArrayList<>(
            helm.render(
                "belay",
                V1,
                "--namespace=belay-system",
                "--set=image.repository=belay.invalid/operator",
                "--set=uninstall.hook=false"));
    same(rendered, deployed("shared/crd", "shared/roles", "shared/guard", "rbac", "operator"));
    same(
        monitoring(
            helm.render(
                "belay",
                "--namespace=belay-system",
                "--set=podMonitor.enabled=true",
                "--set=prometheusRule.enabled=true")),
        deployed("pod-monitor", "prometheus-rules"));
    same(
        shared(helm.render("belay", "--set=guard.mode=parked")),
        deployed("shared/crd", "shared/roles", "shared/guard-parked"));
  }

  private static List<GenericKubernetesResource> monitoring(
      List<GenericKubernetesResource> objects) {
    return objects.stream()
        .filter(o -> o.getApiVersion().startsWith("monitoring.coreos.com/"))
        .toList();
  }

  private static void same(
      List<GenericKubernetesResource> rendered, List<GenericKubernetesResource> deployed) {
    var chart = byName(rendered);
    var deploy = byName(deployed);
    assertThat(deploy.keySet()).isEqualTo(chart.keySet());
    deploy.forEach((name, object) ->
        assertThat(object)
            .as("%s of deploy/; fix: build/render-deploy", name)
            .isEqualTo(chart.get(name)));
  }

  private static List<GenericKubernetesResource> shared(List<GenericKubernetesResource> objects) {
    return objects.stream()
        .filter(o -> o.getMetadata().getAnnotations() != null)
        .filter(o -> o.getMetadata().getAnnotations().containsKey("helm.sh/resource-policy"))
        .toList();
  }

  private static List<GenericKubernetesResource> deployed(String... files) throws IOException {
    List<GenericKubernetesResource> all = new ArrayList<>();
    for (String file : files) {
      all.addAll(Helm.objects(Files.readString(Path.of("../deploy/" + file + ".yaml"))));
    }
    return all;
  }

  private static Map<String, JsonNode> byName(List<GenericKubernetesResource> objects) {
    var byName = new TreeMap<String, JsonNode>();
    for (var object : objects) {
      var json = json(object);
      var meta = (ObjectNode) json.get("metadata");
      if (meta.get("annotations") instanceof ObjectNode marks) {
        marks.remove("helm.sh/resource-policy");
        if (marks.isEmpty()) {
          meta.remove("annotations");
        }
      }
      byName.put(name(object), json);
    }
    return byName;
  }

  private static GenericKubernetesResource deployment(List<GenericKubernetesResource> objects) {
    return one(objects, "Deployment");
  }

  private static GenericKubernetesResource one(
      List<GenericKubernetesResource> objects, String kind) {
    return objects.stream().filter(o -> o.getKind().equals(kind)).findFirst().orElseThrow();
  }

  private static List<String> arguments(GenericKubernetesResource object) {
    List<String> arguments = new ArrayList<>();
    json(object)
        .at("/spec/template/spec/containers/0/args")
        .forEach(a -> arguments.add(a.asText()));
    return arguments;
  }

  private static JsonNode json(GenericKubernetesResource object) {
    return Serialization.unmarshal(Serialization.asJson(object), JsonNode.class);
  }

  private static List<String> names(List<GenericKubernetesResource> objects) {
    return objects.stream().map(ChartE2E::name).toList();
  }

  private static String name(GenericKubernetesResource object) {
    return object.getKind() + "/" + object.getMetadata().getName();
  }
}
