package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus.Owner;
import dev.belay.demo.BelayView;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A StatefulCluster with one StatefulSet of the same name, and the install that acts on it. */
record CanaryCluster(Place place, BelayView belay) {

  /** The label by which the installs of these tests are told apart. */
  static final String LABEL = "managed-by";

  private static final String ETCD =
      """
      apiVersion: belay.dev/v1alpha1
      kind: StatefulCluster
      metadata: {name: etcd}
      spec:
        components:
        - name: etcd
          workload: {name: etcd}
          driver: {type: etcd}
          rollout: {soak: 0s}
      """;

  /** A set of pods that do nothing, and its StatefulCluster with this label. */
  static CanaryCluster tiny(Place place, String name, int replicas, String label) {
    var set = new TinySet(name, replicas, 0, "Parallel");
    applied(place, set.statefulSet());
    var cluster = new CanaryCluster(place, place.belay(name));
    place.await("all pods of " + name, () -> cluster.ready() == replicas);
    applied(place, labelled(set.statefulCluster(), name, label));
    return cluster;
  }

  /** The StatefulCluster of the etcd of {@link Place#etcd()}, without a label. */
  static CanaryCluster etcd(Place place) {
    applied(place, ETCD);
    return new CanaryCluster(place, place.belay("etcd"));
  }

  private static String labelled(String manifest, String name, String label) {
    return manifest.replace(
        "metadata: {name: " + name + "}\nspec:\n  components",
        "metadata: {name: %s, labels: {%s: %s}}%nspec:%n  components"
            .formatted(name, LABEL, label));
  }

  private static void applied(Place place, String manifest) {
    var applied = place.apply(manifest);
    assertThat(applied.ok()).as(applied.output()).isTrue();
  }

  String name() {
    return belay.name();
  }

  void label(String value) {
    place.kubectl("label", "stc", name(), LABEL + "=" + value, "--overwrite");
  }

  void image(String tag) {
    place.kubectl("set", "image", "sts/" + name(), "tiny=tiny:" + tag);
  }

  /** Waits until this install owns the cluster, the workload is marked, and nothing is to do. */
  void awaitIdleUnder(Release release) {
    awaitOwner(release);
    place.await(name() + " is idle", () -> belay.phase().equals("Idle") && belay.is("Guarded"));
  }

  void awaitOwner(Release release) {
    place.await(
        "%s acts on %s".formatted(release.name(), name()),
        () -> isOwnedBy(release) && mark().endsWith(" " + release.account()));
  }

  boolean isOwnedBy(Release release) {
    return belay
        .status()
        .map(s -> s.owner())
        .filter(o -> release.install().equals(o.install()) && o.released() == null)
        .isPresent();
  }

  void awaitReleased() {
    place.await(
        name() + " is released",
        () -> belay.status().map(s -> s.owner()).map(Owner::released).orElse(false));
  }

  void awaitImage(String tag) {
    place.await(
        "%s runs %s".formatted(name(), tag),
        () -> belay.phase().equals("Idle") && images().equals(Set.of("tiny:" + tag)));
  }

  long epoch() {
    return belay
        .status()
        .map(s -> s.owner())
        .map(o -> Objects.requireNonNullElse(o.epoch(), 0L))
        .orElse(0L);
  }

  StatefulSet set() {
    return place
        .arena()
        .client()
        .apps()
        .statefulSets()
        .inNamespace(place.namespace())
        .withName(name())
        .get();
  }

  int partition() {
    return set().getSpec().getUpdateStrategy().getRollingUpdate().getPartition();
  }

  /** The epoch and the account that hold the workload; empty when none does. */
  String mark() {
    return annotations().getOrDefault("belay.dev/owner", "");
  }

  Map<String, String> annotations() {
    return Objects.requireNonNullElse(set().getMetadata().getAnnotations(), Map.of());
  }

  Map<String, String> labels() {
    return Objects.requireNonNullElse(set().getMetadata().getLabels(), Map.of());
  }

  Map<String, Pod> pods() {
    Map<String, Pod> pods = new TreeMap<>(place.pods());
    pods.keySet().removeIf(pod -> !pod.matches(name() + "-[0-9]+"));
    return pods;
  }

  /** Equal ones mean that no pod and no container was restarted. */
  Map<String, String> lives() {
    Map<String, String> lives = new TreeMap<>();
    pods()
        .forEach((name, pod) ->
            lives.put(name, pod.getMetadata().getUid() + " " + place.restarts(name)));
    return lives;
  }

  long ready() {
    return pods().keySet().stream().filter(place::isReady).count();
  }

  Set<String> images() {
    return pods().values().stream()
        .map(p -> p.getSpec().getContainers().getFirst().getImage())
        .collect(Collectors.toSet());
  }

  /** The accounts that changed the partition. */
  Set<String> partitionWriters() {
    return place.audit().partitionWrites(place.namespace()).stream()
        .filter(w -> w.workload().equals(name()))
        .map(Audit.PartitionWrite::user)
        .collect(Collectors.toSet());
  }
}
