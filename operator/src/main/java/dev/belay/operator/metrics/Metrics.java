package dev.belay.operator.metrics;

import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.state.Snapshot;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

/** The numbers of every StatefulCluster this process looks after; they vanish with it. */
public final class Metrics {

  private record Key(String namespace, String cluster) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byNamespace = namespace.compareTo(other.namespace);
      return byNamespace != 0 ? byNamespace : cluster.compareTo(other.cluster);
    }
  }

  private final Map<Key, ClusterSeries> clusters = new ConcurrentSkipListMap<>();
  private final Clock clock;
  private volatile List<Key> unmanaged = List.of();
  private volatile List<Family.Sample> install = List.of();

  public Metrics(Clock clock) {
    this.clock = clock;
  }

  /** The install that this process belongs to, and which clusters it selects. */
  public void install(String name, String selector) {
    install = List.of(Family.INSTALL.sample(1, name, selector));
  }

  /** The StatefulClusters that no operator acts on. */
  public void unmanaged(Stream<ObjectMeta> clusters) {
    unmanaged = clusters.map(c -> new Key(c.getNamespace(), c.getName())).sorted().toList();
  }

  /** A turn was taken on this snapshot. Whoever does not own a cluster does not count it. */
  public void taken(Snapshot basis, Turn turn) {
    var key = new Key(basis.subject().namespace(), basis.subject().name());
    if (Loop.notOwner(turn.decision())) {
      clusters.remove(key);
      return;
    }
    clusters.merge(
        key,
        ClusterSeries.EMPTY.after(turn, basis.at()),
        (before, _) -> before.after(turn, basis.at()));
  }

  /** A turn ended in trouble. */
  public void failed(String namespace, String cluster) {
    clusters.merge(
        new Key(namespace, cluster),
        ClusterSeries.EMPTY.afterFailure(),
        (before, _) -> before.afterFailure());
  }

  public void forget(String namespace, String cluster) {
    clusters.remove(new Key(namespace, cluster));
  }

  /** All of it, as Prometheus reads it. */
  public String text() {
    Instant now = clock.instant();
    var samples = new ArrayList<>(install);
    unmanaged.forEach(c -> samples.add(Family.UNMANAGED.sample(1, c.namespace(), c.cluster())));
    clusters.forEach(
        (key, series) -> samples.addAll(series.samples(key.namespace(), key.cluster(), now)));
    return Exposition.text(samples);
  }
}
