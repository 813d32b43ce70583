package dev.belay.operator;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.model.Fleet;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Run;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Snapshot.Subject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The places for StatefulClusters of this process that are in the middle of an upgrade. Whether a
 * cluster has one, its own turns say; of those that had none yet, what stands in their status.
 */
final class Places {

  /** What {@code --max-upgrades} means by nothing. */
  static final int NO_LIMIT = 0;

  private final int limit;
  private final Consumer<StatefulCluster> wake;
  private final Map<String, Boolean> halfway = new HashMap<>();
  private volatile Supplier<Stream<StatefulCluster>> everyone = Stream::empty;

  /**
   * @param wake called for a cluster whose turn may have come
   */
  Places(int limit, Consumer<StatefulCluster> wake) {
    this.limit = limit;
    this.wake = wake;
  }

  /** Where all clusters of this process are listed, as they were last seen. */
  void listedBy(Supplier<Stream<StatefulCluster>> everyone) {
    this.everyone = everyone;
  }

  /** The others, as one of them sees them. */
  synchronized Fleet around(Subject subject) {
    return limit == NO_LIMIT ? Fleet.UNLIMITED : new Fleet(limit, others(key(subject)));
  }

  /**
   * Takes the place that a new memory speaks of. False when somebody else took the last one since
   * the snapshot; then nothing is to be written.
   */
  synchronized boolean admits(Snapshot basis, Memory next) {
    if (limit == NO_LIMIT) {
      return true;
    }
    String key = key(basis.subject());
    boolean begun = next.run().filter(Run::begun).isPresent();
    boolean before = basis.memory().run().filter(Run::begun).isPresent();
    if (begun && !before && !basis.fleet().full() && others(key).size() >= limit) {
      return false;
    }
    if (begun) {
      halfway.put(key, true);
    }
    return true;
  }

  /** What was written down stands: only now is a place free that it does not speak of. */
  synchronized void written(Snapshot basis, Memory now) {
    if (limit == NO_LIMIT || now.run().filter(Run::begun).isPresent()) {
      return;
    }
    boolean before = basis.memory().run().filter(Run::begun).isPresent();
    if (Boolean.TRUE.equals(halfway.put(key(basis.subject()), false)) || before) {
      wakeWaiting();
    }
  }

  /** A cluster that is gone holds no place. */
  synchronized void forget(String namespace, String name) {
    if (Boolean.TRUE.equals(halfway.remove(namespace + "/" + name))) {
      wakeWaiting();
    }
  }

  private List<String> others(String key) {
    Stream<String> unheard =
        everyone.get().filter(c -> !halfway.containsKey(key(c)) && begun(c)).map(Places::key);
    Stream<String> heard =
        halfway.entrySet().stream().filter(Map.Entry::getValue).map(Map.Entry::getKey);
    return Stream.concat(heard, unheard).filter(k -> !k.equals(key)).toList();
  }

  private void wakeWaiting() {
    everyone.get().filter(Places::waits).forEach(wake);
  }

  private static boolean begun(StatefulCluster cluster) {
    return Optional.ofNullable(cluster.getStatus())
        .map(s -> s.upgrade())
        .filter(u -> Boolean.TRUE.equals(u.begun()))
        .isPresent();
  }

  private static boolean waits(StatefulCluster cluster) {
    return Optional.ofNullable(cluster.getStatus())
        .map(s -> s.blockedBy())
        .filter(b -> Objects.equals(b.rule(), Reasons.FLEET_HAS_ROOM.name()))
        .isPresent();
  }

  private static String key(Subject subject) {
    return subject.namespace() + "/" + subject.name();
  }

  private static String key(StatefulCluster cluster) {
    return cluster.getMetadata().getNamespace() + "/" + cluster.getMetadata().getName();
  }
}
