package dev.belay.cli;

import static dev.belay.cli.GuardedPlane.NAMESPACE;
import static dev.belay.cli.GuardedPlane.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus.Owner;
import dev.belay.cli.ReleaseAll.OwnerWrite;
import dev.belay.cli.ReleaseAll.Remaining;
import dev.belay.cli.World.Ran;
import dev.belay.core.guard.Mark;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Releases a namespace from the real guard; refusals come first, since they change nothing. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ReleaseAllIT {

  private static final String SYSTEM = "belay-system";
  private static final String LEAVE = "belay.dev/leave";

  private static GuardedPlane plane;

  /** Administers the namespace. */
  private static Path ann;

  @BeforeAll
  static void a_namespace_as_an_operator_leaves_it() throws IOException {
    plane = GuardedPlane.start();
    plane.workload(
        "StatefulSet",
        "etcd",
        ", labels: {env: prod}",
        "updateStrategy: {rollingUpdate: {partition: 3}}");
    plane.workload("Deployment", "probe", "", "paused: true");
    plane.workload("StatefulSet", "probe", "", "");
    plane.cluster("my-etcd", "name: etcd");
    plane.own("sts/etcd", "my-etcd", 1);
    plane.own("sts/probe", "gone", 1);
    plane.own("deploy/probe", "gone", 1);
    plane.copyLabels("sts/etcd", "my-etcd", "managed-by: v1, env: prod");
    heldBy("belay-system/belay-operator");
    lease();
    plane.guard();
    plane.admin().apps().statefulSets().inNamespace(NAMESPACE).withName("etcd").scale(1);
    eventually("the pod of etcd exists", () -> pod().get() != null);
    plane.create(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: ann}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
        subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ann}]
        """);
    ann = plane.user("ann");
    eventually("ann has her rights", () -> plane.belay(ann, "status").exit() == 0);
  }

  @AfterAll
  static void stop() {
    plane.close();
  }

  @Test
  @Order(1)
  void refuses_when_the_lease_cannot_be_read() {
    Ran ran = plane.belay(ann, "release", "--all");
    assertThat(ran.exit()).isEqualTo(4);
    assertThat(ran.err())
        .contains("unknown whether the operator install belay-system/belay runs")
        .contains("ann may not get leases.coordination.k8s.io in namespace belay-system")
        .contains("belay release --all -n db --force");
    nothingIsRemoved();
  }

  @Test
  @Order(2)
  void refuses_while_an_operator_renews_the_lease() {
    mayReadTheLease();
    try (var operator = Executors.newSingleThreadScheduledExecutor()) {
      var _ = operator.scheduleAtFixedRate(ReleaseAllIT::renew, 0, 3, TimeUnit.SECONDS);
      Ran ran = onceTheLeaseIsReadable();
      operator.shutdownNow();
      assertThat(ran.exit()).isEqualTo(4);
      assertThat(ran.err())
          .contains("the operator install belay-system/belay runs and acts on")
          .contains("StatefulCluster my-etcd in db")
          .contains("helm uninstall RELEASE -n belay-system");
    }
    nothingIsRemoved();
  }

  @Test
  @Order(3)
  void removes_everything_when_the_lease_is_stale() {
    String uid = pod().require().getMetadata().getUid();
    Ran ran = plane.belay(ann, "release", "--all");
    assertThat(ran.out())
        .contains("statefulset/etcd in db is no longer guarded; its partition stays at 3. To")
        .contains("(removed the label managed-by)")
        .contains("statefulset/probe in db is no longer guarded\n")
        .contains("deployment/probe in db is no longer guarded; it stays paused. To continue")
        .contains("statefulcluster/my-etcd in db: not undone: PUT :80/undrain for etcd-1; fix:")
        .contains("statefulcluster/my-etcd in db: not undone: the member etcd-2 is a learner; fix:")
        .contains("statefulcluster/my-etcd in db no longer has the finalizer belay.dev/leave");
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.out())
        .contains("statefulcluster/my-etcd in db keeps its owner: ann may not patch")
        .contains("statefulclusters.belay.dev/status in namespace db");
    assertThat(released()).isFalse();
    for (String workload : List.of("sts/etcd", "sts/probe", "deploy/probe")) {
      assertThat(plane.mark(workload)).as(workload).isEqualTo(Mark.NONE);
    }
    assertThat(etcd().getMetadata().getLabels())
        .as("env was set by another program, too")
        .isEqualTo(Map.of("env", "prod"));
    assertThat(cluster().require().getMetadata().getFinalizers())
        .containsExactly("example.com/backup");
    assertThat(partition()).isEqualTo(3);
    assertThat(pod().require().getMetadata().getUid()).isEqualTo(uid);
  }

  /** The Lease of an install that no longer looks at the namespace is renewed. */
  @Test
  @Order(4)
  void whoever_may_write_the_status_releases_from_the_owner() {
    plane.create(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: root}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
        subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: root}]
        """);
    Path root = plane.user("root");
    eventually("root has the rights", () -> plane.belay(root, "status").exit() == 0);
    assertThat(releaseOwnerOf(2)).isInstanceOf(OwnerWrite.Conflict.class);
    assertThat(released()).as("another owner has claimed").isFalse();
    Ran ran = plane.belay(root, "release", "--all", "--force");
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.out())
        .contains("statefulcluster/my-etcd in db is released: the operator whose selector matches");
    assertThat(released()).isTrue();
    assertThat(cluster().require().<Integer>get("status", "owner", "epoch")).isEqualTo(3);

    Ran again = plane.belay(ann, "release", "--all");
    assertThat(again.exit()).as(again.err()).isZero();
    assertThat(again.out()).contains("nothing to release in namespace db");
  }

  private static void nothingIsRemoved() {
    for (String workload : List.of("sts/etcd", "sts/probe", "deploy/probe")) {
      assertThat(plane.mark(workload).heldBy(GuardedPlane.OPERATOR)).as(workload).isTrue();
    }
    assertThat(etcd().getMetadata().getLabels()).containsEntry("managed-by", "v1");
    assertThat(cluster().require().getMetadata().getFinalizers()).contains(LEAVE);
  }

  private static OwnerWrite releaseOwnerOf(long epoch) {
    String uid = cluster().require().getMetadata().getUid();
    var owner = new Owner("", "", "", epoch, "", false);
    return new Leftovers(plane.admin(), NAMESPACE, new Troubles("the server"))
        .releaseOwner(new Remaining("my-etcd", uid, List.of(), Optional.of(owner), List.of()));
  }

  private static boolean released() {
    return Boolean.TRUE.equals(cluster().require().get("status", "owner", "released"));
  }

  private static void heldBy(String lease) {
    cluster()
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"finalizers\":[\"example.com/backup\",\"%s\"]}}".formatted(LEAVE));
    GenericKubernetesResource now = cluster().require();
    Map<String, Object> owner =
        Map.of(
            "install",
            "belay-system/belay",
            "account",
            GuardedPlane.OPERATOR,
            "epoch",
            3,
            "lease",
            lease);
    now.setAdditionalProperty(
        "status",
        Map.of(
            "owner",
            owner,
            "obligations",
            List.of(
                Map.of("component", "app", "object", "etcd-0", "what", "PUT :80/save"),
                Map.of("component", "app", "object", "etcd-1", "undo", "PUT :80/undrain")),
            "components",
            List.of(Map.of("name", "app", "owes", List.of("the member etcd-2 is a learner")))));
    plane.admin().resource(now).updateStatus();
  }

  private static void lease() {
    plane
        .admin()
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(SYSTEM)
                .withName("belay-operator")
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("nobody")
                .withLeaseDurationSeconds(15)
                .endSpec()
                .build())
        .create();
  }

  private static void renew() {
    plane
        .admin()
        .leases()
        .inNamespace(SYSTEM)
        .withName("belay-operator")
        .edit(l ->
            new LeaseBuilder(l)
                .editSpec()
                .withHolderIdentity("process at " + System.nanoTime())
                .endSpec()
                .build());
  }

  /** A right takes a moment. */
  private static Ran onceTheLeaseIsReadable() {
    var last = new AtomicReference<Ran>();
    eventually(
        "ann may read the Lease",
        () -> {
          last.set(plane.belay(ann, "release", "--all"));
          return !last.get().err().contains("it is unknown whether");
        });
    return last.get();
  }

  private static void mayReadTheLease() {
    String yaml =
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {name: ann}
        rules:
        - {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get]}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: ann}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ann}
        subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ann}]
        """;
    plane
        .admin()
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .inNamespace(SYSTEM)
        .create();
  }

  private static Resource<GenericKubernetesResource> cluster() {
    return plane
        .admin()
        .genericKubernetesResources("belay.dev/v1alpha1", "StatefulCluster")
        .inNamespace(NAMESPACE)
        .withName("my-etcd");
  }

  private static StatefulSet etcd() {
    return plane.admin().apps().statefulSets().inNamespace(NAMESPACE).withName("etcd").require();
  }

  private static int partition() {
    return etcd().getSpec().getUpdateStrategy().getRollingUpdate().getPartition();
  }

  private static Resource<Pod> pod() {
    return plane.admin().pods().inNamespace(NAMESPACE).withName("etcd-0");
  }
}
