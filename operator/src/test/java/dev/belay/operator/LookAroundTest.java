package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.operator.lease.OtherInstalls;
import dev.belay.operator.metrics.Metrics;
import dev.belay.operator.select.Claims;
import dev.belay.operator.select.Leases;
import dev.belay.operator.select.Selector;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.api.config.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which process reports the clusters that no install acts on. */
class LookAroundTest {

  private static final Self SELF = new Self("ns/v1", "one", "account");
  private static final String UNMANAGED = "cluster=\"db\"";

  private final KubernetesClient client = new KubernetesClientBuilder().build();
  private final Metrics metrics = new Metrics(Clock.systemUTC());
  private final Wakeups wakeups = new Wakeups(client);
  private final Places places = new Places(Places.NO_LIMIT, _ -> {});
  private final Lease lease = new Lease();
  private final Claims claims = new Claims(SELF, Selector.parse("by=v1"), lease);
  private final ClusterLoop loop =
      new ClusterLoop(client, SELF, Clock.systemUTC(), places, claims, _ -> {});
  private final ClusterReconciler reconciler =
      new ClusterReconciler(loop, claims, places, wakeups, metrics);
  private final OtherInstalls others = new OtherInstalls(client);
  private Runnable whenListed = () -> {};

  @BeforeEach
  void list() {
    ControllerConfiguration<StatefulCluster> none = null;
    var context = new EventSourceContext<>(new OneCluster(), none, client, StatefulCluster.class);
    reconciler.prepareEventSources(context);
    lease.held = true;
    reconciler.lookAround(others);
    assertThat(metrics.text()).contains(UNMANAGED);
  }

  @AfterEach
  void stop() {
    wakeups.close();
    loop.close();
    client.close();
  }

  @Test
  void the_leader_reports_nothing_when_it_lost_the_Lease_during_the_look() {
    whenListed =
        () -> {
          lease.held = false;
          reconciler.stops();
        };
    reconciler.lookAround(others);
    assertThat(metrics.text()).doesNotContain(UNMANAGED);
  }

  @Test
  void a_process_that_stands_by_reports_nothing() {
    lease.held = false;
    reconciler.lookAround(others);
    assertThat(metrics.text()).doesNotContain(UNMANAGED);
  }

  private static final class Lease implements Leases {

    private boolean held;

    @Override
    public boolean held() {
      return held;
    }

    @Override
    public boolean expired(String lease) {
      return false;
    }
  }

  /** The cache of the framework with a cluster that no install selects. */
  private final class OneCluster implements IndexerResourceCache<StatefulCluster> {

    private final StatefulCluster cluster =
        Serialization.unmarshal(
            """
            metadata: {name: db, namespace: shop, uid: u1, labels: {by: v2}}
            spec: {components: []}
            """,
            StatefulCluster.class);

    @Override
    public Stream<StatefulCluster> list(Predicate<StatefulCluster> filter) {
      Runnable now = whenListed;
      whenListed = () -> {};
      now.run();
      return Stream.of(cluster).filter(filter);
    }

    @Override
    public Stream<StatefulCluster> list(String namespace, Predicate<StatefulCluster> filter) {
      return list(filter);
    }

    @Override
    public Optional<StatefulCluster> get(ResourceID id) {
      return Optional.of(cluster);
    }

    @Override
    public Stream<ResourceID> keys() {
      return Stream.of(ResourceID.fromResource(cluster));
    }

    @Override
    public List<StatefulCluster> byIndex(String index, String key) {
      return List.of(cluster);
    }

    @Override
    public void addIndexers(Map<String, Function<StatefulCluster, List<String>>> indexers) {}
  }
}
