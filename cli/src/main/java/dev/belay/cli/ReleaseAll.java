package dev.belay.cli;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Owner;
import dev.belay.core.guard.Mark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Removes what an operator that is gone left in a namespace: the marks and the copied labels of the
 * workloads, the finalizer of the StatefulClusters and its ownership of them. {@code belay-operator
 * --uninstall} does the same with the account of the operator.
 *
 * @param release with force, since the StatefulClusters still name their workloads
 * @param force whether to go on although an operator may run
 */
record ReleaseAll(Server server, Release release, Pause pause, boolean force) {

  /** A leader renews its Lease every 3 s. */
  private static final Duration BETWEEN_READS = Duration.ofSeconds(16);

  private static final int TRIES = 3;

  /** What is asked of the API server. */
  interface Server {

    List<Remaining> clusters();

    /** Empty when the StatefulCluster is gone. */
    Optional<Remaining> cluster(String name);

    /** Those with a mark, or with labels that an operator copied. */
    List<WorkloadRef> workloads();

    /** Reads a Lease, named as NAMESPACE/NAME. */
    LeaseRead lease(String lease);

    /** Removes the labels that an operator copied and no other program set; their keys. */
    List<String> removeLabels(WorkloadRef workload);

    /** Empty when the finalizer was removed, else why it was not. */
    Optional<String> removeFinalizer(Remaining basis);

    /** Records in the status that the owner no longer acts, if it is the one of this epoch. */
    OwnerWrite releaseOwner(Remaining basis);
  }

  /**
   * A StatefulCluster as far as this matters, which is read whatever else is in it.
   *
   * @param cleanups what was done for an upgrade and must be undone
   */
  record Remaining(
      String name,
      String uid,
      List<String> finalizers,
      Optional<Owner> owner,
      List<String> cleanups) {

    Remaining {
      finalizers = List.copyOf(finalizers);
      cleanups = List.copyOf(cleanups);
    }

    boolean held() {
      return finalizers.contains(StatefulCluster.FINALIZER);
    }

    /** The owner, unless it stopped acting on this StatefulCluster. */
    Optional<Owner> acting() {
      return owner.filter(o -> !Boolean.TRUE.equals(o.released()));
    }

    Optional<Long> epoch() {
      return owner.flatMap(o -> Optional.ofNullable(o.epoch()));
    }
  }

  /** What a read of a Lease answered. */
  sealed interface LeaseRead {

    /** It exists; the version is another one after each renewal. */
    record Found(String version) implements LeaseRead {}

    record Missing() implements LeaseRead {}

    record Unreadable(String why, String fix) implements LeaseRead {}
  }

  /** How a write of the owner ended. */
  sealed interface OwnerWrite {

    record Stored() implements OwnerWrite {}

    /** The StatefulCluster or its owner is another one than was read. */
    record Conflict(String why) implements OwnerWrite {}

    record Forbidden(Trouble why) implements OwnerWrite {}
  }

  /** Waits. */
  interface Pause {
    void of(Duration time) throws InterruptedException;
  }

  /** An operator install, and the StatefulClusters it acts on. */
  private record Install(String lease, String name, List<String> clusters) {

    String acts() {
      return "StatefulCluster " + String.join(", ", clusters);
    }
  }

  /** What is to be done, object by object; each step returns a sentence. Nothing is written yet. */
  List<Supplier<String>> steps() throws InterruptedException {
    List<Remaining> clusters = server.clusters();
    List<WorkloadRef> workloads = server.workloads();
    List<Remaining> left =
        clusters.stream().filter(c -> c.held() || c.acting().isPresent()).toList();
    if (workloads.isEmpty() && left.isEmpty()) {
      String nothing =
          "nothing to release in namespace %s: no workload has the label %s, and no StatefulCluster"
                  .formatted(release.namespace(), Mark.LABEL)
              + " has the finalizer %s or an owner".formatted(StatefulCluster.FINALIZER);
      return List.of(() -> nothing);
    }
    if (!force) {
      noOperatorRuns(clusters);
    }
    var steps = new ArrayList<Supplier<String>>();
    workloads.forEach(w -> steps.add(() -> released(w)));
    left.forEach(c -> steps.addAll(steps(c)));
    return steps;
  }

  /** The cleanups come first: without its finalizer the StatefulCluster may be gone. */
  private List<Supplier<String>> steps(Remaining cluster) {
    var steps = new ArrayList<Supplier<String>>();
    cluster.cleanups().forEach(c -> steps.add(() -> notUndone(cluster.name(), c)));
    if (cluster.held()) {
      steps.add(() -> withoutFinalizer(cluster.name()));
    }
    if (cluster.acting().isPresent()) {
      steps.add(() -> withoutOwner(cluster));
    }
    return steps;
  }

  private void noOperatorRuns(List<Remaining> clusters) throws InterruptedException {
    var before = new ArrayList<LeaseRead>();
    List<Install> installs = installs(clusters);
    installs.forEach(i -> before.add(read(i)));
    if (before.stream().noneMatch(LeaseRead.Found.class::isInstance)) {
      return;
    }
    pause.of(BETWEEN_READS);
    for (int i = 0; i < installs.size(); i++) {
      LeaseRead now = read(installs.get(i));
      if (now instanceof LeaseRead.Found && !now.equals(before.get(i))) {
        throw runs(installs.get(i));
      }
    }
  }

  private static List<Install> installs(List<Remaining> clusters) {
    var byLease = new TreeMap<String, List<Remaining>>();
    for (Remaining cluster : clusters) {
      cluster
          .acting()
          .ifPresent(o ->
              byLease
                  .computeIfAbsent(Cluster.word(o.lease()), _ -> new ArrayList<>())
                  .add(cluster));
    }
    return byLease.entrySet().stream()
        .map(e -> {
          List<Remaining> its = e.getValue();
          String name = Cluster.word(its.getFirst().owner().orElseThrow().install());
          return new Install(e.getKey(), name, its.stream().map(Remaining::name).toList());
        })
        .toList();
  }

  private LeaseRead read(Install install) {
    LeaseRead read = server.lease(install.lease());
    if (read instanceof LeaseRead.Unreadable(String why, String fix)) {
      throw new Trouble(
          "it is unknown whether the operator install %s runs, which acts on %s in %s: %s"
              .formatted(install.name(), install.acts(), release.namespace(), why),
          "%s; or, if no operator runs: %s"
              .formatted(fix, release.commands().releaseAll(release.namespace(), "--force")));
    }
    return read;
  }

  private Trouble runs(Install install) {
    String stop =
        "kubectl scale deployment %s --replicas=0".formatted(inNamespace(install.lease()));
    return new Trouble(
        "the operator install %s runs and acts on %s in %s: its Lease %s was renewed within %d s"
            .formatted(
                install.name(),
                install.acts(),
                release.namespace(),
                install.lease(),
                BETWEEN_READS.toSeconds()),
        "uninstall it: helm uninstall RELEASE%s; or stop it: %s; or change the labels of the"
                .formatted(namespaceOf(install.lease()), stop)
            + " StatefulCluster so that the selector of the operator does not match");
  }

  private static String inNamespace(String place) {
    return place.substring(place.indexOf('/') + 1) + namespaceOf(place);
  }

  private static String namespaceOf(String place) {
    int slash = place.indexOf('/');
    return slash < 0 ? "" : " -n " + place.substring(0, slash);
  }

  private String released(WorkloadRef workload) {
    String released = release.run(workload);
    try {
      List<String> labels = server.removeLabels(workload);
      return labels.isEmpty()
          ? released
          : released
              + labels.stream().collect(Collectors.joining(", ", " (removed the label ", ")"));
    } catch (Trouble e) {
      throw new Trouble(
          "%s; but its copied labels were not removed: %s".formatted(released, e.getMessage()),
          "run the command again: " + release.commands().releaseAll(release.namespace()),
          e);
    }
  }

  private String in(String cluster) {
    return "statefulcluster/%s in %s".formatted(cluster, release.namespace());
  }

  private String notUndone(String cluster, String cleanup) {
    return "%s: not undone: %s; fix: undo it by hand, unless another operator claims the cluster"
        .formatted(in(cluster), cleanup);
  }

  private String withoutFinalizer(String name) {
    String cluster = in(name);
    String why = "";
    for (int i = 0; i < TRIES; i++) {
      Optional<Remaining> now = server.cluster(name).filter(Remaining::held);
      Optional<String> refused = now.flatMap(server::removeFinalizer);
      if (refused.isEmpty()) {
        return "%s no longer has the finalizer %s".formatted(cluster, StatefulCluster.FINALIZER);
      }
      why = refused.get();
    }
    throw new Trouble(
        "%s still has the finalizer %s: %s".formatted(cluster, StatefulCluster.FINALIZER, why),
        "remove it: kubectl edit stc %s -n %s".formatted(name, release.namespace()));
  }

  /**
   * Releases from the owner that was found not to act: an operator that claimed since then has
   * another epoch.
   */
  private String withoutOwner(Remaining basis) {
    String cluster = in(basis.name());
    Optional<Remaining> now = server.cluster(basis.name()).filter(c -> c.uid().equals(basis.uid()));
    if (now.isEmpty()) {
      return cluster + " is gone";
    }
    Optional<Owner> acting = now.get().acting();
    if (acting.isPresent() && !now.get().epoch().equals(basis.epoch())) {
      throw notReleased(
          cluster,
          "the operator install %s claimed it meanwhile"
              .formatted(Cluster.word(acting.get().install())));
    }
    if (acting.isPresent()) {
      switch (server.releaseOwner(basis)) {
        case OwnerWrite.Stored() -> {}
        case OwnerWrite.Conflict(String conflict) -> throw notReleased(cluster, conflict);
        case OwnerWrite.Forbidden(Trouble forbidden) -> {
          return keepsItsOwner(cluster, acting.get(), forbidden);
        }
      }
    }
    return cluster + " is released: the operator whose selector matches claims it";
  }

  private String keepsItsOwner(String cluster, Owner owner, Trouble forbidden) {
    if (force) {
      throw mayNotRelease(cluster, owner, forbidden);
    }
    // Its Lease is not renewed, so another operator needs no release.
    return "%s keeps its owner: %s. Another operator claims it when the Lease %s has expired; fix, if no other operator selects it: ask a cluster admin to run: %s"
        .formatted(
            cluster,
            forbidden.getMessage(),
            Cluster.word(owner.lease()),
            new Commands(List.of()).releaseAll(release.namespace()));
  }

  private Trouble notReleased(String cluster, String why) {
    return new Trouble(
        "%s is not released: %s".formatted(cluster, why),
        "run the command again: " + release.commands().releaseAll(release.namespace()));
  }

  /** Without the options of this connection, since another account runs the command. */
  private Trouble mayNotRelease(String cluster, Owner owner, Trouble forbidden) {
    String again = new Commands(List.of()).releaseAll(release.namespace(), "--force");
    return new Trouble(
        "%s is not released: %s. While the Lease %s is renewed, no other operator claims it"
            .formatted(cluster, forbidden.getMessage(), Cluster.word(owner.lease())),
        "ask a cluster admin to run: %s; or to grant this account the right for that time (Role with"
                .formatted(again)
            + " apiGroups [belay.dev], resources [statefulclusters/status], verbs [patch])",
        forbidden);
  }
}
