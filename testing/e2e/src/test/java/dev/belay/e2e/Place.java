package dev.belay.e2e;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.demo.Await;
import dev.belay.demo.BelayView;
import dev.belay.demo.DemoException;
import dev.belay.demo.EtcdCluster;
import dev.belay.demo.Kubectl;
import dev.belay.demo.World;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A namespace of one test in an arena. */
record Place(Arena arena, String namespace) implements AutoCloseable {

  /** Each look is a request or three, and several tests wait side by side. */
  private static final Duration LOOK = Duration.ofMillis(200);

  /** What kubectl says, in this namespace. */
  String kubectl(String... arguments) {
    try {
      return arena.kubectl().run(inNamespace(arguments));
    } catch (DemoException e) {
      throw new AssertionError(e.text(), e);
    }
  }

  Kubectl.Result attempt(String... arguments) {
    return arena.kubectl().attempt(inNamespace(arguments));
  }

  private String[] inNamespace(String... arguments) {
    return Stream.concat(Stream.of("-n", namespace), Stream.of(arguments)).toArray(String[]::new);
  }

  /** kubectl apply of what is written here. */
  Kubectl.Result apply(String yaml) {
    try {
      Path file = Files.createTempFile(arena.folder(), "manifest", ".yaml");
      Files.writeString(file, yaml);
      return attempt("apply", "-f", file.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The etcd of the example, on 3.5, serving. */
  EtcdCluster etcd() {
    kubectl("apply", "-f", "examples/etcd.yaml");
    var cluster = new EtcdCluster(arena.sandbox(), namespace);
    cluster.awaitServing(World.MEMBERS, World.OLD, Arena.LIMIT);
    return cluster;
  }

  /** The etcd of the example with so many members, and these lines of spec besides. */
  EtcdCluster etcd(int members, String spec) {
    var applied = apply(EtcdManifest.of(arena.repository(), members, spec));
    if (!applied.ok()) {
      throw new IllegalStateException(applied.output());
    }
    var cluster = new EtcdCluster(arena.sandbox(), namespace);
    cluster.awaitServing(members, World.OLD, Arena.LIMIT);
    return cluster;
  }

  BelayView belay(String name) {
    return new BelayView(arena.client(), namespace, name);
  }

  /** The ten lines for etcd, adopted and guarded. */
  BelayView adoptEtcd() {
    kubectl("apply", "-f", "examples/etcd-statefulcluster.yaml");
    return adopted("etcd");
  }

  BelayView adopted(String name) {
    BelayView belay = belay(name);
    await("Belay adopts " + name, () -> belay.phase().equals("Idle") && belay.is("Guarded"));
    return belay;
  }

  /** The folder behind a claim. */
  Path volume(String claim) {
    String volume =
        arena
            .client()
            .persistentVolumeClaims()
            .inNamespace(namespace)
            .withName(claim)
            .get()
            .getSpec()
            .getVolumeName();
    return Path.of(
        arena
            .client()
            .persistentVolumes()
            .withName(volume)
            .get()
            .getSpec()
            .getHostPath()
            .getPath());
  }

  /** Pods by name, in no order. */
  Map<String, Pod> pods() {
    Map<String, Pod> pods = new TreeMap<>();
    arena
        .client()
        .pods()
        .inNamespace(namespace)
        .list()
        .getItems()
        .forEach(p -> pods.put(p.getMetadata().getName(), p));
    return pods;
  }

  Map<String, String> uids() {
    Map<String, String> uids = new TreeMap<>();
    pods().forEach((name, pod) -> uids.put(name, pod.getMetadata().getUid()));
    return uids;
  }

  /** How many pods are ready. */
  long ready() {
    return pods().values().stream().filter(Place::isReady).count();
  }

  boolean isReady(String pod) {
    return Optional.ofNullable(pods().get(pod)).filter(Place::isReady).isPresent();
  }

  private static boolean isReady(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
  }

  /** How often the containers of a pod were started again. */
  int restarts(String pod) {
    return pods().get(pod).getStatus().getContainerStatuses().stream()
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }

  /** The images that the pods run, by pod. */
  Map<String, String> imageByPod() {
    Map<String, String> images = new TreeMap<>();
    pods()
        .forEach(
            (name, pod) -> images.put(name, pod.getSpec().getContainers().getFirst().getImage()));
    return images;
  }

  /** Everything that the API server was asked so far. */
  Audit audit() {
    return new Audit(arena.sandbox().auditLog());
  }

  /** Every pod that somebody deleted so far, in order, by the API server's own account. */
  List<String> deleted() {
    return audit().podDeletions(namespace).stream().map(Audit.Deletion::pod).toList();
  }

  /** Who deleted them. */
  Set<String> deletedBy() {
    return audit().podDeletions(namespace).stream()
        .map(Audit.Deletion::user)
        .collect(Collectors.toSet());
  }

  /** A merge patch of a StatefulCluster. */
  void patch(String cluster, String spec) {
    kubectl("patch", "stc", cluster, "--type=merge", "-p", "{\"spec\":{" + spec + "}}");
  }

  /** The images that the pods run. */
  Set<String> images() {
    return pods().values().stream()
        .map(p -> p.getSpec().getContainers().getFirst().getImage())
        .collect(Collectors.toSet());
  }

  /** The operator is killed while such a step is under way, which the trigger makes it take. */
  void killOperatorIn(BelayView belay, String step, Runnable trigger) {
    killOperatorWhen(
        belay,
        "on record: " + step,
        status ->
            Optional.ofNullable(status.step())
                .map(StatefulClusterStatus.Step::what)
                .filter(what -> what.contains(step))
                .isPresent(),
        trigger);
  }

  /**
   * The operator is killed as soon as the status says so, and must not have written anything else
   * since: whoever starts next finds it so. The status is watched, for a look now and then would
   * come when the step is long over.
   */
  void killOperatorWhen(
      BelayView belay, String what, Predicate<StatefulClusterStatus> seen, Runnable trigger) {
    var killed = new CountDownLatch(1);
    var watcher =
        new Watcher<StatefulCluster>() {
          @Override
          public void eventReceived(Action action, StatefulCluster cluster) {
            if (killed.getCount() > 0
                && Optional.ofNullable(cluster.getStatus()).filter(seen).isPresent()) {
              arena.operator().kill();
              killed.countDown();
            }
          }

          @Override
          public void onClose(WatcherException cause) {
            // Nothing is seen any more, and the wait ends by its limit.
          }
        };
    var watched =
        arena
            .client()
            .resources(StatefulCluster.class)
            .inNamespace(namespace)
            .withName(belay.name());
    try (Watch _ = watched.watch(watcher)) {
      trigger.run();
      if (!killed.await(Arena.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(what + ": not within " + Arena.LIMIT + "; " + belay.status());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(what, e);
    }
    if (belay.status().filter(seen).isEmpty()) {
      throw new AssertionError(what + ": it went on before it was killed; " + belay.status());
    }
    arena.startOperator();
  }

  void await(String what, BooleanSupplier condition) {
    try {
      Await.until(
          what,
          Arena.LIMIT,
          LOOK,
          () -> {
            arena.mustBeAlive();
            return condition.getAsBoolean();
          },
          () ->
              attempt("get", "stc,sts,deploy,pods", "-o", "wide").output()
                  + attempt("get", "stc", "-o", "jsonpath={.items[*].status}").output());
    } catch (DemoException e) {
      throw new AssertionError(e.text(), e);
    }
  }

  @Override
  public void close() {
    arena.client().resources(StatefulCluster.class).inNamespace(namespace).delete();
    arena.client().namespaces().withName(namespace).delete();
  }
}
