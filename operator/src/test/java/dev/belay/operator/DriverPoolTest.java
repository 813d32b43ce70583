package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.driver.Driver;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DriverPoolTest {

  private final List<String> closed = new ArrayList<>();

  @Test
  void the_driver_of_a_component_that_is_renamed_or_gone_is_closed() {
    try (var client = new KubernetesClientBuilder().build();
        var pool = new DriverPool(client, (type, _) -> new Noted(type))) {
      Driver first = pool.driver(cluster("one", "etcd"), 0);
      pool.driver(cluster("one", "etcd"), 1);
      pool.driver(cluster("other", "etcd"), 0);
      assertThat(pool.driver(cluster("one", "etcd"), 0)).isSameAs(first);
      assertThat(closed).isEmpty();

      pool.driver(cluster("one", "renamed"), 1);
      assertThat(closed).containsExactly("etcd");
      assertThat(pool.driver(cluster("one", "renamed"), 0)).isNotSameAs(first);

      pool.forget("one");
      assertThat(closed).containsExactlyInAnyOrder("etcd", "etcd", "none");
    }
  }

  private static StatefulCluster cluster(String uid, String first) {
    return Serialization.unmarshal(
        """
        metadata: {name: a, namespace: b, uid: %s}
        spec:
          components:
          - {name: %s, workload: {name: x}, driver: {type: etcd}}
          - {name: front, workload: {name: y}, driver: {type: none}}
        """
            .formatted(uid, first),
        StatefulCluster.class);
  }

  /** Says when it is closed. */
  private final class Noted implements Driver {

    private final String type;

    private Noted(String type) {
      this.type = type;
    }

    @Override
    public SystemPolicy policy() {
      return SystemPolicy.NONE;
    }

    @Override
    public Fact<Topology> observe(List<Seat> seats, Duration deadline) {
      return Fact.unknown("nobody asked");
    }

    @Override
    public Outcome transferLeader(
        List<Seat> seats, Topology.Leader from, String toMemberId, Duration deadline) {
      return new Outcome.Refused("nobody leads");
    }

    @Override
    public void close() {
      closed.add(type);
    }
  }
}
