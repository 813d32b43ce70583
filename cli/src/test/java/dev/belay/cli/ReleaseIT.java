package dev.belay.cli;

import static dev.belay.cli.GuardedPlane.OPERATOR;
import static dev.belay.cli.GuardedPlane.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.cli.World.Ran;
import dev.belay.core.guard.Mark;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Releases from the real guard; the marks are written by the operator's account. */
class ReleaseIT {

  private static final String FROZEN_AT_3 = "updateStrategy: {rollingUpdate: {partition: 3}}";
  private static final Mark GONE = mark("gone", "7 " + OPERATOR);

  private static GuardedPlane plane;

  /** Administers the namespace. */
  private static Path ann;

  /** Edits the namespace and lacks the verb own. */
  private static Path bob;

  /** Has the verb own, and may not read StatefulClusters. */
  private static Path carl;

  @BeforeAll
  static void install_the_guard() throws IOException {
    plane = GuardedPlane.start();
    plane.workload("StatefulSet", "free", "", "");
    plane.workload("StatefulSet", "probe", "", "");
    // Only a write before the policies can store an owner that cannot be read.
    plane.workload(
        "StatefulSet",
        "unreadable",
        ", labels: {belay.dev/cluster: gone}, annotations: {belay.dev/owner: nobody}",
        "");
    plane.own("sts/probe", "gone", 1);
    plane.guard();
    plane.create(
        bound("belay-admin", "ClusterRole", "ann")
            + bound("admin", "ClusterRole", "ann")
            + bound("edit", "ClusterRole", "bob")
            + """
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: Role
            metadata: {name: owns}
            rules:
            - {apiGroups: [belay.dev], resources: [statefulclusters], verbs: [own]}
            - {apiGroups: [apps], resources: [statefulsets], verbs: [get, patch]}
            """
            + bound("owns", "Role", "carl"));
    ann = plane.user("ann");
    bob = plane.user("bob");
    carl = plane.user("carl");
    eventually(
        "everybody has their rights",
        () ->
            plane.belay(ann, "status").exit() == 0
                && plane.belay(bob, "status").exit() == 0
                && plane.belay(carl, "release", "sts/free").exit() == 0);
  }

  @AfterAll
  static void stop() {
    plane.close();
  }

  @Test
  void leaves_a_workload_alone_that_is_not_guarded() {
    String before = plane.workload("sts/free").require().getMetadata().getResourceVersion();
    Ran ran = plane.belay(ann, "release", "statefulset/free");
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.out()).contains("statefulset/free in db is not guarded");
    assertThat(plane.workload("sts/free").require().getMetadata().getResourceVersion())
        .isEqualTo(before);
  }

  @Test
  void releases_a_workload_whose_statefulcluster_is_gone() {
    plane.workload("StatefulSet", "orphan", "", FROZEN_AT_3);
    plane.own("sts/orphan", "gone", 7);
    Ran ran = plane.belay(ann, "release", "sts/orphan");
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.out())
        .contains("statefulset/orphan in db is no longer guarded; its partition stays at 3");
    assertThat(plane.mark("sts/orphan")).isEqualTo(Mark.NONE);
    var lowered =
        (StatefulSet)
            plane
                .workload("sts/orphan")
                .patch(
                    PatchContext.of(PatchType.JSON_MERGE),
                    "{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}}}}");
    assertThat(lowered.getSpec().getUpdateStrategy().getRollingUpdate().getPartition())
        .as("anybody may lower the partition now")
        .isZero();
  }

  @Test
  void releases_a_deployment_and_names_what_it_cannot_release() {
    plane.workload("Deployment", "web", "", "paused: true");
    plane.own("deploy/web", "gone", 7);
    Ran ran = plane.belay(ann, "release", "sts/nowhere", "deployment/web");
    assertThat(ran.exit()).isEqualTo(4);
    assertThat(ran.err()).contains("no StatefulSet nowhere in namespace db");
    assertThat(ran.out())
        .contains("deployment/web in db is no longer guarded; it stays paused. To continue");
    assertThat(plane.mark("deploy/web")).isEqualTo(Mark.NONE);
  }

  @Test
  void releases_from_an_owner_that_cannot_be_read() {
    assertThat(plane.mark("sts/unreadable")).isEqualTo(mark("gone", "nobody"));
    Ran ran = plane.belay(ann, "release", "sts/unreadable");
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(plane.mark("sts/unreadable")).isEqualTo(Mark.NONE);
  }

  /** A label without an owner is free, and bob may patch StatefulSets. */
  @Test
  void releases_a_label_without_an_owner_without_the_verb_own() {
    plane.workload("StatefulSet", "labelled", ", labels: {belay.dev/cluster: gone}", "");
    assertThat(plane.mark("sts/labelled")).isEqualTo(Mark.of("gone"));
    Ran ran = plane.belay(bob, "release", "sts/labelled");
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.out()).contains("its partition stays at 2147483647");
    assertThat(plane.mark("sts/labelled")).isEqualTo(Mark.NONE);
  }

  @Test
  void without_the_verb_own_the_mark_stays() {
    plane.workload("StatefulSet", "kept", "", "");
    plane.own("sts/kept", "gone", 7);
    Ran ran = plane.belay(bob, "release", "sts/kept");
    assertThat(ran.exit()).isEqualTo(4);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .contains("statefulset/kept in db stays guarded: account bob lacks the verb own on")
        .contains("--clusterrole=belay-admin --user=bob");
    assertThat(plane.mark("sts/kept")).isEqualTo(GONE);
  }

  @Test
  void without_mutating_policies_it_names_the_missing_verb_as_well() {
    plane.workload("StatefulSet", "parked", "", "");
    plane.own("sts/parked", "gone", 7);
    plane.onlyValidating();
    try {
      Ran refused = plane.belay(bob, "release", "sts/parked");
      assertThat(refused.exit()).isEqualTo(4);
      assertThat(refused.err()).contains("account bob lacks the verb own on");
      assertThat(plane.mark("sts/parked")).isEqualTo(GONE);
      Ran released = plane.belay(ann, "release", "sts/parked");
      assertThat(released.exit()).as(released.err()).isZero();
      assertThat(plane.mark("sts/parked")).isEqualTo(Mark.NONE);
    } finally {
      plane.guard();
    }
  }

  @Test
  void refuses_while_the_statefulcluster_names_the_workload() {
    plane.workload("StatefulSet", "named", "", "");
    plane.cluster("alive", "name: named");
    plane.own("sts/named", "alive", 7);
    Ran refused = plane.belay(ann, "release", "sts/named");
    assertThat(refused.exit()).isEqualTo(4);
    assertThat(refused.err())
        .contains("StatefulCluster alive still names statefulset/named in db")
        .contains("kubectl delete stc alive -n db")
        .contains("belay release statefulset/named -n db --force");
    assertThat(plane.mark("sts/named")).isEqualTo(mark("alive", "7 " + OPERATOR));
    Ran forced = plane.belay(ann, "release", "sts/named", "--force");
    assertThat(forced.exit()).as(forced.err()).isZero();
    assertThat(plane.mark("sts/named")).isEqualTo(Mark.NONE);
  }

  @Test
  void a_statefulcluster_that_names_another_workload_does_not_matter() {
    plane.workload("StatefulSet", "removed", "", "");
    plane.cluster("changed", "kind: Deployment, name: removed");
    plane.own("sts/removed", "changed", 7);
    Ran ran = plane.belay(ann, "release", "sts/removed");
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(plane.mark("sts/removed")).isEqualTo(Mark.NONE);
  }

  @Test
  void refuses_when_the_statefulcluster_cannot_be_read() {
    plane.workload("StatefulSet", "hidden", "", "");
    plane.own("sts/hidden", "gone", 7);
    Ran refused = plane.belay(carl, "release", "sts/hidden");
    assertThat(refused.exit()).isEqualTo(4);
    assertThat(refused.err()).contains("may not read StatefulCluster gone").contains("--force");
    assertThat(plane.mark("sts/hidden")).isEqualTo(GONE);
    Ran forced = plane.belay(carl, "release", "sts/hidden", "--force");
    assertThat(forced.exit()).as(forced.err()).isZero();
    assertThat(plane.mark("sts/hidden")).isEqualTo(Mark.NONE);
  }

  @Test
  void the_kubectl_line_of_the_docs_does_the_same() throws Exception {
    plane.workload("StatefulSet", "by-hand", "", "");
    plane.own("sts/by-hand", "gone", 7);
    String line =
        Files.readAllLines(Path.of("../docs/cli.md")).stream()
            .filter(l -> l.startsWith("    kubectl ") && l.contains("annotate"))
            .findFirst()
            .orElseThrow()
            .replace("sts/etcd", "sts/by-hand");
    Ran refused = plane.shell(bob, line);
    assertThat(refused.exit()).as(refused.out()).isNotZero();
    assertThat(refused.err()).contains("guards this StatefulSet");
    assertThat(plane.mark("sts/by-hand")).isEqualTo(GONE);
    Ran ran = plane.shell(ann, line);
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(plane.mark("sts/by-hand")).isEqualTo(Mark.NONE);
  }

  private static Mark mark(String cluster, String owner) {
    return new Mark(Optional.of(cluster), Optional.of(owner));
  }

  private static String bound(String role, String kind, String user) {
    return """
    ---
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata: {name: %1$s-%3$s}
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: %2$s, name: %1$s}
    subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %3$s}]
    """
        .formatted(role, kind, user);
  }
}
