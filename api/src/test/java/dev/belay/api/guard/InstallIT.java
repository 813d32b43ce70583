package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    assertThat(Plane.install().lines()).isNotEmpty().allMatch(line -> line.endsWith(" unchanged"));
  }

  @Test
  void each_file_applies_by_itself() {
    for (String file : List.of("crd", "namespace", "rbac", "guard", "guard-parked", "operator")) {
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
    for (String name : List.of("belay-guard-release", "belay-guard-unpause")) {
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
            "get /secrets",
            "create /events",
            "create events.k8s.io/events")) {
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
            "list /secrets",
            "watch /secrets",
            "patch /nodes",
            "update coordination.k8s.io/leases",
            "create /serviceaccounts/token",
            "patch admissionregistration.k8s.io/mutatingadmissionpolicies",
            "impersonate /users")) {
      assertThat(can("default", not)).as("may not %s", not).isFalse();
    }
    assertThat(can("belay-system", "update coordination.k8s.io/leases")).isTrue();
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

  @Test
  void removing_the_crd_before_the_policies_blocks_nobody() {
    World.accounts();
    World.guarded("uninstall");
    Plane.must("", "delete", "-f", "../deploy/crd.yaml");
    Plane.eventually("the guard is gone", () -> World.probe("uninstall", "A/5", "B/5", "B/5"));
    Plane.install();
    World.guarded("installed-again");
  }

  /** Why failurePolicy is Ignore: the same policies with Fail refuse every set in the cluster. */
  @Test
  void policies_without_their_crd_block_nobody() throws IOException {
    World.namespace("bystander");
    String stray =
        Files.readString(Path.of("../deploy/guard.yaml"))
            .replace("belay-guard-", "stray-guard-")
            .replace("kind: StatefulCluster}", "kind: NeverInstalled}");
    try {
      Plane.must(stray.replace("failurePolicy: Ignore", "failurePolicy: Fail"), "apply", "-f", "-");
      Plane.eventually("with Fail a bystander is refused", () -> !bystander());
      Plane.must(stray, "apply", "-f", "-");
      Plane.eventually("with Ignore a bystander passes", InstallIT::bystander);
    } finally {
      Plane.must(stray, "delete", "-f", "-");
    }
  }

  private static boolean bystander() {
    String manifest = Sets.manifest("bystander", GuardCase.Shape.of("A/0"), "");
    return Plane.kubectl(Plane.adminKubeconfig(), manifest, "create", "--dry-run=server", "-f", "-")
            .exit()
        == 0;
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
