package dev.belay.sim.world;

import dev.belay.core.guard.Guard;
import dev.belay.core.model.Spec;
import dev.belay.core.report.Report;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The API server, and the StatefulCluster in it. Facts: there is one resourceVersion for all
 * objects, and every write moves it; a status is written apart from spec and does not move the
 * generation; an object with a finalizer stays until the finalizer is removed.
 */
public final class ApiServer {

  public static final String NAMESPACE = "prod";

  /** The name of the StatefulCluster. */
  public static final String CLUSTER = "my-db";

  /** What can be watched. */
  public enum Kind {
    CLUSTER,
    STATUS,
    SET,
    POD
  }

  /** How a write ended. */
  public enum Answer {
    OK,
    CONFLICT,
    REFUSED,
    UNAVAILABLE
  }

  private final Timeline time;
  private final Weather weather;
  private final boolean policies;
  private final BiFunction<Guard.Write, List<Guard.Claim>, Guard.Verdict> guard;
  private final History<Optional<ClusterObject>> cluster;
  private final List<Consumer<Kind>> watchers = new ArrayList<>();
  private long version = 100;
  private int uids;

  public ApiServer(
      Timeline time,
      Weather weather,
      BiFunction<Guard.Write, List<Guard.Claim>, Guard.Verdict> guard,
      boolean policies) {
    this.time = time;
    this.weather = weather;
    this.policies = policies;
    this.guard = guard;
    this.cluster = new History<>(time.now(), Optional.empty());
  }

  /** Told of every write. */
  public void watch(Consumer<Kind> watcher) {
    watchers.add(watcher);
  }

  void tell(Kind kind) {
    watchers.forEach(w -> w.accept(kind));
  }

  /** Every watch was begun anew, with a list of all there is. */
  public void relisted() {
    for (Kind kind : Kind.values()) {
      tell(kind);
    }
  }

  /** Moves with every write. */
  public long version() {
    return version;
  }

  long nextVersion() {
    return ++version;
  }

  int nextUid() {
    return ++uids;
  }

  BiFunction<Guard.Write, List<Guard.Claim>, Guard.Verdict> guard() {
    return guard;
  }

  public Optional<ClusterObject> cluster() {
    return cluster.last();
  }

  public Optional<ClusterObject> clusterAsOf(Instant moment) {
    return cluster.asOf(moment);
  }

  public boolean up() {
    return !weather.holds(Fault.API_OUTAGE);
  }

  public boolean guarded() {
    return policies && !weather.holds(Fault.GUARD_MISSING);
  }

  public void createCluster(Spec spec, Set<Install> labels) {
    store(
        Optional.of(
            new ClusterObject(
                CLUSTER, "stc-" + ++uids, ++version, 1, spec, false, labels, Optional.empty())));
  }

  public void writeClusterSpec(UnaryOperator<Spec> change) {
    cluster()
        .filter(c -> !change.apply(c.spec()).equals(c.spec()))
        .ifPresent(c -> store(Optional.of(c.asking(++version, change.apply(c.spec())))));
  }

  public void labelCluster(Set<Install> labels) {
    cluster()
        .filter(c -> !c.labels().equals(labels))
        .ifPresent(c -> store(Optional.of(c.labelled(++version, labels))));
  }

  public void deleteCluster() {
    cluster().ifPresent(c -> store(Optional.of(c.leaving(++version))));
  }

  public void removeFinalizer() {
    version++;
    store(Optional.empty());
  }

  /** A status write with the resourceVersion of the object it was read from. */
  public Answer writeClusterStatus(String expectedVersion, Report report) {
    if (!up()) {
      return Answer.UNAVAILABLE;
    }
    Optional<ClusterObject> found = cluster();
    if (found.isEmpty() || !Long.toString(found.get().version()).equals(expectedVersion)) {
      return Answer.CONFLICT;
    }
    store(Kind.STATUS, Optional.of(found.get().reporting(++version, report)));
    return Answer.OK;
  }

  private void store(Optional<ClusterObject> object) {
    store(Kind.CLUSTER, object);
  }

  private void store(Kind kind, Optional<ClusterObject> object) {
    cluster.add(time.now(), object);
    tell(kind);
  }
}
