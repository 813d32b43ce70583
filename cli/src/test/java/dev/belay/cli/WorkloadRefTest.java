package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.Component.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which spellings name a workload, and which StatefulCluster names it. */
class WorkloadRefTest {

  private static final WorkloadRef ETCD = new WorkloadRef(Kind.STATEFUL_SET, "etcd");

  @Test
  void reads_what_kubectl_reads_and_prints() {
    for (String kind :
        List.of("sts", "statefulset", "statefulsets", "StatefulSet", "statefulset.apps")) {
      assertThat(WorkloadRef.parse(kind + "/etcd")).as(kind).contains(ETCD);
    }
    for (String kind :
        List.of("deploy", "deployment", "deployments", "Deployment", "deployment.apps")) {
      assertThat(WorkloadRef.parse(kind + "/web-1.a"))
          .as(kind)
          .contains(new WorkloadRef(Kind.DEPLOYMENT, "web-1.a"));
    }
    assertThat(ETCD).hasToString("statefulset/etcd");
  }

  @Test
  void reads_nothing_else() {
    for (String text :
        List.of("etcd", "pod/etcd", "sts/", "/etcd", "sts/a/b", "sts/Etcd", "sts etcd", "sts/-a")) {
      assertThat(WorkloadRef.parse(text)).as(text).isEmpty();
    }
  }

  @Test
  void is_named_by_a_component_of_the_same_kind_and_name() {
    String yaml =
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: my-etcd, namespace: db}
        spec:
          components:
          - {name: web, workload: {kind: Deployment, name: web}, driver: {type: none}}
          - {name: etcd, workload: {name: etcd}, driver: {type: etcd}}
        """;
    Cluster cluster = Samples.parse(yaml);
    assertThat(ETCD.isNamedBy(cluster)).as("kind is StatefulSet by default").isTrue();
    assertThat(new WorkloadRef(Kind.DEPLOYMENT, "web").isNamedBy(cluster)).isTrue();
    assertThat(new WorkloadRef(Kind.STATEFUL_SET, "web").isNamedBy(cluster)).isFalse();
    assertThat(new WorkloadRef(Kind.STATEFUL_SET, "other").isNamedBy(cluster)).isFalse();
  }
}
