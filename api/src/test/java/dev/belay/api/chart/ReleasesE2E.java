package dev.belay.api.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Releases of the chart on a real API server. It has no nodes, so no pod and no hook runs. */
class ReleasesE2E {

  private static final String LATER = "--set=shared.create=false";
  private static final String SHARE = "--set=shared.create=true";
  private static final List<String> SHARED =
      List.of(
          "customresourcedefinition/statefulclusters.belay.dev",
          "clusterrole/belay-edit",
          "clusterrole/belay-view",
          "clusterrole/belay-admin",
          "mutatingadmissionpolicy/belay-guard",
          "mutatingadmissionpolicybinding/belay-guard",
          "validatingadmissionpolicy/belay-guard",
          "validatingadmissionpolicybinding/belay-guard",
          "mutatingadmissionpolicy/belay-guard-adopt",
          "mutatingadmissionpolicybinding/belay-guard-adopt",
          "mutatingadmissionpolicy/belay-stamp",
          "mutatingadmissionpolicybinding/belay-stamp");

  private static ControlPlane plane;

  @BeforeAll
  static void start() throws IOException {
    plane = ControlPlane.start(Files.createTempDirectory(Path.of("target"), "releases"));
    for (String name : List.of("belay-system", "belay-canary", "db", "cache")) {
      namespace(name);
    }
  }

  private static void namespace(String name) {
    admin()
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(Map.of("pod-security.kubernetes.io/enforce", "restricted"))
                .endMetadata()
                .build())
        .create();
  }

  @AfterAll
  static void stop() {
    if (plane != null) {
      plane.close();
    }
  }

  @AfterEach
  void remove_all() {
    for (Release release :
        List.of(
            new Release(Helm.THREE, "belay", "belay-system"),
            new Release(Helm.THREE, "canary", "belay-canary"))) {
      release.call("uninstall", "--no-hooks", "--ignore-not-found", "--wait");
    }
    List<String> all = new ArrayList<>(List.of("delete", "--ignore-not-found"));
    all.addAll(SHARED);
    kubectl(all.toArray(String[]::new));
  }

  /** A release of the chart in its namespace. */
  private record Release(Helm helm, String name, String namespace) {

    String install(String... values) {
      return must(chart("install", values));
    }

    String upgrade(String... values) {
      return must(chart("upgrade", values));
    }

    void rollback(String... arguments) {
      must(call("rollback", arguments));
    }

    String status() {
      return must(call("status"));
    }

    /** The hook needs a node. */
    void uninstall() {
      must(call("uninstall", "--no-hooks"));
    }

    Helm.Answer chart(String command, String... values) {
      List<String> all =
          new ArrayList<>(List.of(Helm.CHART.toString(), "--set=" + Helm.REPOSITORY));
      all.addAll(List.of(values));
      return call(command, all.toArray(String[]::new));
    }

    Helm.Answer call(String command, String... arguments) {
      List<String> all = new ArrayList<>(List.of(arguments));
      all.add("--namespace=" + namespace);
      all.add("--kubeconfig=" + plane.adminKubeconfig());
      return helm.run(List.of(command, name), all.toArray(String[]::new));
    }

    private String must(Helm.Answer answer) {
      assertThat(answer.exit()).as("%s %s: %s", helm, this, answer.said()).isZero();
      return answer.said();
    }
  }

  @ParameterizedTest
  @EnumSource(Helm.class)
  void two_releases_coexist_and_each_goes_without_the_other(Helm helm) {
    var belay = new Release(helm, "belay", "belay-system");
    var canary = new Release(helm, "canary", "belay-canary");
    assertThat(belay.install()).contains("Guard: policies\n");
    cluster();

    assertThat(canary.chart("install").said())
        .contains("belong to the release belay in namespace belay-system")
        .contains("fix: --set shared.create=false");
    canary.install(LATER, "--set=labelSelector=managed-by=v2");
    exist("belay-system", own("belay"));
    exist("belay-canary", own("canary-belay"));

    canary.uninstall();
    assertThat(found("belay-canary", own("canary-belay"))).isEmpty();
    exist("belay-system", own("belay"));
    exist("default", SHARED);

    canary.install(LATER);
    belay.uninstall();
    assertThat(found("belay-system", own("belay"))).isEmpty();
    exist("belay-canary", own("canary-belay"));
    exist("default", SHARED);

    // The release that made the shared objects is gone; another one adopts them.
    assertThat(canary.chart("upgrade", SHARE).said()).contains("invalid ownership metadata");
    canary.upgrade(SHARE, "--take-ownership");
    assertThat(owner()).isEqualTo("canary");
    belay.install(LATER);
    canary.uninstall();
    exist("default", SHARED);
    exist("belay-system", own("belay"));

    // The same name in the same namespace is the same release to Helm.
    canary.install();
    belay.upgrade(SHARE, "--take-ownership");
    assertThat(owner()).isEqualTo("belay");
    canary.upgrade(LATER);
    exist("default", SHARED);
    belay.uninstall();
    canary.uninstall();
    exist("default", SHARED);
    exist("db", List.of("stc/etcd"));
  }

  /** The Job of the hook has no node, so helm gives up at its timeout. */
  @ParameterizedTest
  @EnumSource(Helm.class)
  void a_failed_uninstall_ends_with_a_rollback_to_its_revision_or_without_hooks(Helm helm) {
    var belay = new Release(helm, "belay", "belay-system");
    belay.install("--set=replicas=3");
    failToUninstall(belay);
    assertThat(belay.chart("upgrade").said()).contains("\"belay\" has no deployed releases");
    assertThat(belay.call("rollback").said()).contains("release has no 0 version");
    if (helm == Helm.THREE) {
      belay.rollback("1");
    } else {
      assertThat(belay.call("rollback", "1").said()).contains("conflict with", ".spec.replicas");
      belay.rollback("1", "--force-conflicts");
    }
    assertThat(belay.status()).contains("STATUS: deployed");
    assertThat(replicas()).isEqualTo("3");
    belay.upgrade("--set=replicas=4");
    assertThat(replicas()).isEqualTo("4");

    failToUninstall(belay);
    belay.uninstall();
    assertThat(found("belay-system", own("belay"))).isEmpty();
    exist("default", SHARED);
    exist("belay-system", List.of("job/belay-uninstall"));
    kubectl("--namespace=belay-system", "delete", "job", "belay-uninstall");
  }

  /** The Job scales the Deployment to 0 first. */
  private static void failToUninstall(Release release) {
    assertThat(release.call("uninstall", "--timeout=5s").exit()).isNotZero();
    kubectl(
        "--namespace=belay-system",
        "patch",
        "deployment",
        "belay-operator",
        "--type=merge",
        "--patch={\"spec\":{\"replicas\":0}}");
    assertThat(release.status()).contains("STATUS: uninstalling");
    exist("belay-system", own("belay"));
  }

  private static String replicas() {
    return kubectl(
        "--namespace=belay-system",
        "get",
        "deployment/belay-operator",
        "-o",
        "jsonpath={.spec.replicas}");
  }

  private static String owner() {
    return kubectl(
        "get",
        SHARED.getFirst(),
        "-o",
        "jsonpath={.metadata.annotations.meta\\.helm\\.sh/release-name}");
  }

  private static List<String> own(String install) {
    String operator = install + "-operator";
    return List.of(
        "clusterrole/" + operator,
        "clusterrole/" + operator + "-secrets",
        "clusterrolebinding/" + operator,
        "deployment/" + operator,
        "serviceaccount/" + operator,
        "poddisruptionbudget/" + operator,
        "role/" + operator + "-leases",
        "rolebinding/" + operator + "-leases");
  }

  private static void exist(String namespace, List<String> objects) {
    assertThat(found(namespace, objects)).hasSameSizeAs(objects);
  }

  /** Those of the objects that exist, by one call of kubectl. */
  private static List<String> found(String namespace, List<String> objects) {
    List<String> get = new ArrayList<>(List.of("--namespace=" + namespace, "get"));
    get.addAll(objects);
    get.addAll(List.of("--ignore-not-found", "-o", "name"));
    return kubectl(get.toArray(String[]::new)).lines().toList();
  }

  /** A StatefulCluster, which would be deleted with the CRD. */
  private static void cluster() {
    String manifest = "../examples/etcd-statefulcluster.yaml";
    eventually(
        "a StatefulCluster can be created",
        () -> attempt("--namespace=db", "apply", "-f", manifest).exit() == 0);
  }

  @Test
  void pods_pass_the_restricted_profile() {
    for (var object : Helm.FOUR.render("belay", "--set=shared.create=false")) {
      if (!List.of("Deployment", "Job").contains(object.getKind())) {
        continue;
      }
      var template =
          Serialization.unmarshal(
              Serialization.asJson(object.<Object>get("spec", "template")), PodTemplateSpec.class);
      var pod =
          new PodBuilder()
              .withNewMetadata()
              .withName("restricted")
              .endMetadata()
              .withSpec(template.getSpec())
              .build();
      pod.getSpec().setServiceAccountName("default");
      eventually(
          "the service account of belay-system",
          () ->
              admin().serviceAccounts().inNamespace("belay-system").withName("default").get()
                  != null);
      var made = admin().pods().inNamespace("belay-system").resource(pod).dryRun(true).create();
      assertThat(made.getMetadata().getName()).isEqualTo("restricted");
      pod.getSpec().getContainers().getFirst().setSecurityContext(null);
      assertThat(
              refusal(() ->
                  admin().pods().inNamespace("belay-system").resource(pod).dryRun(true).create()))
          .contains("violates PodSecurity \"restricted:latest\"");
    }
  }

  private static String refusal(Runnable call) {
    try {
      call.run();
      return "";
    } catch (KubernetesClientException e) {
      return Objects.requireNonNullElse(e.getMessage(), "");
    }
  }

  @Test
  void with_namespaces_the_operator_may_do_nothing_elsewhere() {
    var canary = new Release(Helm.THREE, "canary", "belay-canary");
    canary.install(
        "--set=namespaces={db,cache}",
        "--set=secrets.namespaces={db}",
        "--set=otherInstalls.namespaces={belay-system}");
    String account = "system:serviceaccount:belay-canary:canary-belay-operator";
    eventually("the roles count", () -> can(account, "db", "own belay.dev statefulclusters"));
    for (String may :
        List.of(
            "db: watch belay.dev statefulclusters",
            "cache: patch apps statefulsets",
            "cache: delete  pods",
            "db: get  secrets",
            "db: get  configmaps",
            "belay-canary: create coordination.k8s.io leases",
            "belay-canary: get coordination.k8s.io leases",
            "belay-canary: patch apps deployments canary-belay-operator",
            "belay-system: get coordination.k8s.io leases",
            "default: get  nodes")) {
      assertThat(can(account, may)).as(may).isTrue();
    }
    for (String not :
        List.of(
            "default: list belay.dev statefulclusters",
            "belay-system: patch apps statefulsets",
            "cache: get  secrets",
            "cache: get  configmaps",
            "db: list  secrets",
            "belay-canary: update coordination.k8s.io leases",
            "belay-canary: patch apps deployments",
            "belay-system: update coordination.k8s.io leases",
            "db: get coordination.k8s.io leases",
            "default: list  nodes")) {
      assertThat(can(account, not)).as(not).isFalse();
    }
    canary.uninstall();
    exist("default", SHARED);
  }

  private static boolean can(String account, String what) {
    String[] parts = what.split(": ", 2);
    return can(account, parts[0], parts[1]);
  }

  private static boolean can(String account, String namespace, String what) {
    List<String> words = List.of(what.split(" ", -1));
    var review =
        new SubjectAccessReviewBuilder()
            .withNewSpec()
            .withUser(account)
            .withNewResourceAttributes()
            .withNamespace(namespace)
            .withVerb(words.get(0))
            .withGroup(words.get(1))
            .withResource(words.get(2))
            .withName(words.size() > 3 ? words.get(3) : "")
            .endResourceAttributes()
            .endSpec()
            .build();
    return admin()
        .authorization()
        .v1()
        .subjectAccessReview()
        .create(review)
        .getStatus()
        .getAllowed();
  }

  @Test
  void deleting_the_kustomization_keeps_the_crd_and_what_is_of_its_kind() {
    kubectl("apply", "-k", "../deploy/shared");
    kubectl("apply", "-k", "../deploy");
    cluster();
    kubectl("delete", "-k", "../deploy", "--wait=false");
    assertThat(found("belay-system", own("belay").subList(0, 3))).isEmpty();
    exist("default", SHARED);
    exist("db", List.of("stc/etcd"));
    eventually(
        "the namespace is gone", () -> admin().namespaces().withName("belay-system").get() == null);
    namespace("belay-system");
  }

  @ParameterizedTest
  @EnumSource(Helm.class)
  void a_release_adopts_what_kubectl_made(Helm helm) {
    kubectl("apply", "-k", "../deploy/shared");
    kubectl("apply", "-f", "../deploy/rbac.yaml", "-f", "../deploy/operator.yaml");
    cluster();
    var belay = new Release(helm, "belay", "belay-system");
    assertThat(belay.chart("install").said()).contains("invalid ownership metadata");
    // Helm 4 applies on the server, where the fields are kubectl's.
    belay.install(
        helm == Helm.THREE
            ? new String[] {"--take-ownership", "--set=replicas=3"}
            : new String[] {"--take-ownership", "--force-conflicts", "--set=replicas=3"});
    assertThat(owner()).isEqualTo("belay");
    assertThat(
            kubectl(
                "--namespace=belay-system",
                "get",
                "deployment/belay-operator",
                "-o",
                "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}"))
        .isEqualTo("3 registry.example.com/belay-operator:0.1.0");
    exist("db", List.of("stc/etcd"));
  }

  private static KubernetesClient admin() {
    return plane.client();
  }

  private static String kubectl(String... arguments) {
    var answer = attempt(arguments);
    assertThat(answer.exit()).as("%s: %s", List.of(arguments), answer.said()).isZero();
    return answer.said();
  }

  private static Helm.Answer attempt(String... arguments) {
    try {
      List<String> command = new ArrayList<>(List.of(plane.kubectl().toString()));
      command.add("--kubeconfig=" + plane.adminKubeconfig());
      command.add("--cache-dir=" + plane.dir().resolve("kubectl-cache"));
      command.addAll(List.of(arguments));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Helm.Answer(process.waitFor(), said);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void eventually(String what, BooleanSupplier so) {
    Instant end = Instant.now().plus(Duration.ofSeconds(60));
    while (!so.getAsBoolean()) {
      assertThat(Instant.now()).as("not within a minute: " + what).isBefore(end);
      try {
        Thread.sleep(100);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
