package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.core.guard.Mark;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What deploy/ puts into a cluster, by kubectl as a user does it. */
class InstallIT {

  @BeforeAll
  static void installed() {
    Plane.installed();
  }

  @Test
  void everything_applies_and_applies_again() {
    // kubectl replaces the selector of a budget each time.
    assertThat(Plane.install().lines().filter(line -> !line.startsWith("poddisruptionbudget")))
        .isNotEmpty()
        .allMatch(line -> line.endsWith(" unchanged"));
  }

  @Test
  void each_file_applies_by_itself() {
    for (String file :
        List.of(
            "shared/crd",
            "namespace",
            "rbac",
            "shared/roles",
            "shared/guard",
            "shared/guard-parked",
            "operator")) {
      Plane.must("", "apply", "-f", "../deploy/" + file + ".yaml");
    }
    Plane.served();
    Plane.must("", "apply", "-f", "../examples/etcd.yaml", "--dry-run=server");
    Plane.must("", "apply", "-f", "../examples/etcd-statefulcluster.yaml", "--dry-run=server");
    Plane.must("", "apply", "-f", "../examples/pd.yaml", "--dry-run=server");
    Plane.must("", "apply", "-f", "../examples/etcd-approvals.yaml", "--dry-run=server");
    Plane.must("", "apply", "-f", "../examples/components.yaml", "--dry-run=server");
    Plane.must("", "apply", "-f", "../examples/none.yaml", "--dry-run=server");
    Plane.must(
        "",
        "delete",
        "validatingadmissionpolicy/belay-stamp",
        "validatingadmissionpolicybinding/belay-stamp");
  }

  @Test
  void the_validating_policies_type_check_without_warnings() {
    for (String name : List.of("belay-guard")) {
      Plane.eventually(
          name + " is checked", () -> !policy(name, "{.status.observedGeneration}").isEmpty());
      assertThat(policy(name, "{.status.typeChecking.expressionWarnings}")).as(name).isEmpty();
    }
  }

  private static String policy(String name, String path) {
    return Plane.must("", "get", "validatingadmissionpolicy/" + name, "-o", "jsonpath=" + path);
  }

  @Test
  void the_operator_may_do_what_it_does_and_no_more() {
    for (String may :
        List.of(
            "watch belay.dev/statefulclusters",
            "patch belay.dev/statefulclusters",
            "patch belay.dev/statefulclusters/status",
            "own belay.dev/statefulclusters",
            "patch apps/statefulsets",
            "watch apps/deployments",
            "patch apps/deployments",
            "list apps/replicasets",
            "create /pods/eviction",
            "watch /pods",
            "patch /pods",
            "delete /pods",
            "get /nodes",
            "list policy/poddisruptionbudgets",
            "get coordination.k8s.io/leases",
            "create /events")) {
      assertThat(can("default", may)).as("may %s", may).isTrue();
    }
    for (String not :
        List.of(
            "create belay.dev/statefulclusters",
            "update belay.dev/statefulclusters",
            "delete belay.dev/statefulclusters",
            "create apps/statefulsets",
            "update apps/statefulsets",
            "delete apps/statefulsets",
            "patch apps/statefulsets/scale",
            "create apps/deployments",
            "update apps/deployments",
            "delete apps/deployments",
            "patch apps/deployments/scale",
            "patch apps/replicasets",
            "delete apps/replicasets",
            "create /pods",
            "update /pods",
            "create /pods/exec",
            "get /secrets",
            "get /configmaps",
            "list /secrets",
            "watch /secrets",
            "patch /nodes",
            "update coordination.k8s.io/leases",
            "create /serviceaccounts/token",
            "patch admissionregistration.k8s.io/mutatingadmissionpolicies",
            "impersonate /users")) {
      assertThat(can("default", not)).as("may not %s", not).isFalse();
    }
    assertThat(can("belay-system", "create coordination.k8s.io/leases")).isTrue();
    assertThat(can("belay-system", "update coordination.k8s.io/leases"))
        .as("Leases of others")
        .isFalse();
  }

  @Test
  void the_operator_reads_secrets_only_where_a_rolebinding_says_so() {
    World.namespace("secrets");
    Plane.must(
        "",
        "--namespace=secrets",
        "create",
        "rolebinding",
        "belay-secrets",
        "--clusterrole=belay-operator-secrets",
        "--serviceaccount=belay-system:belay-operator");
    Plane.eventually("Secrets can be read", () -> can("secrets", "get /secrets"));
    assertThat(can("secrets", "get /configmaps")).isTrue();
    assertThat(can("secrets", "list /secrets")).isFalse();
    assertThat(can("default", "get /secrets")).isFalse();
  }

  @Test
  void whoever_edits_a_namespace_edits_statefulclusters_but_not_their_status() {
    Path admin = Plane.adminKubeconfig();
    Plane.must("", "create", "rolebinding", "ann-edits", "--clusterrole=edit", "--user=ann");
    Plane.eventually(
        "the role is aggregated",
        () -> Plane.kubectl(admin, "", "auth", "can-i", "create", "stc", "--as=ann").exit() == 0);
    var status =
        Plane.kubectl(
            admin, "", "auth", "can-i", "patch", "stc", "--subresource=status", "--as=ann");
    assertThat(status.out()).startsWith("no");
  }

  /** The mark is on the workload, so the guard does not need the StatefulCluster. */
  @Test
  void removing_the_crd_before_the_policies_blocks_nobody() {
    World.accounts();
    World.guarded("uninstall");
    World.namespace("unlabelled");
    World.create(Sets.manifest("unlabelled", Shape.of("A/5"), ""));
    Plane.must("", "delete", "-f", "../deploy/shared/crd.yaml");
    Plane.eventually(
        "a new set is left alone",
        () ->
            World.created("uninstall-new").equals(Optional.of(Shape.of("A/0").marked(Mark.NONE))));

    assertThat(World.probe("uninstall", "A/5", "B/5", "B/frozen")).isTrue();
    assertThat(World.probe("uninstall", "A/5", "A/4", "refused")).isTrue();
    World.patch("unlabelled", Shape.of("A/5"), Shape.of("B/4"));
    assertThat(World.live("unlabelled")).isEqualTo(Shape.of("B/4").marked(Mark.NONE));

    Plane.install();
    World.guarded("installed-again");
  }

  /**
   * Why failurePolicy is Ignore: the same policy with Fail refuses every new set in the cluster.
   */
  @Test
  void policies_without_their_crd_block_nobody() throws IOException {
    World.accounts();
    World.namespace("bystander");
    List<String> needy =
        Stream.of(Files.readString(Path.of("../deploy/shared/guard.yaml")).split("(?m)^---$", -1))
            .filter(policy -> policy.contains("\n  paramKind:"))
            .toList();
    assertThat(needy).singleElement().asString().contains("failurePolicy: Ignore");
    String stray =
        needy
                .getFirst()
                .replace("belay-guard-adopt", "stray")
                .replace(": StatefulCluster}", ": Never}")
            + """
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicyBinding
            metadata: {name: stray}
            spec:
              policyName: stray
              paramRef: {selector: {}, parameterNotFoundAction: Allow}
            """;
    try {
      Plane.must(stray.replace("failurePolicy: Ignore", "failurePolicy: Fail"), "apply", "-f", "-");
      Plane.eventually("with Fail it is refused", () -> World.created("bystander").isEmpty());
      Plane.must(stray, "apply", "-f", "-");
      Plane.eventually("with Ignore it passes", () -> World.created("bystander").isPresent());
    } finally {
      Plane.must(stray, "delete", "-f", "-");
    }
  }

  private static boolean can(String namespace, String what) {
    List<String> words = List.of(what.split("[ /]", -1));
    var review =
        new SubjectAccessReviewBuilder()
            .withNewSpec()
            .withUser(GuardCase.OWNER)
            .withNewResourceAttributes()
            .withNamespace(namespace)
            .withVerb(words.get(0))
            .withGroup(words.get(1))
            .withResource(words.get(2))
            .withSubresource(words.size() > 3 ? words.get(3) : "")
            .endResourceAttributes()
            .endSpec()
            .build();
    return Plane.admin()
        .authorization()
        .v1()
        .subjectAccessReview()
        .create(review)
        .getStatus()
        .getAllowed();
  }
}
