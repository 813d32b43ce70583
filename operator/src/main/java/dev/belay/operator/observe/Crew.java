package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.Fingerprint;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The pods that the controller of a workload made.
 *
 * @param revisions of a Deployment: what each of its ReplicaSets, by uid, makes pods of, the newest
 *     first; empty for a set, whose pods say it themselves
 */
record Crew(List<Pod> pods, Map<String, String> revisions) {

  private static final String REVISION = "controller-revision-hash";

  /** A pod that is over stays for people to read; its place is already filled by another. */
  private static final Set<String> OVER = Set.of("Failed", "Succeeded");

  private static final Comparator<ReplicaSet> AGE =
      Comparator.comparing((ReplicaSet r) -> r.getMetadata().getCreationTimestamp())
          .thenComparing(r -> r.getMetadata().getName());

  static Crew of(Live.Set set, List<Pod> listed) {
    String uid = set.metadata().getUid();
    return new Crew(
        listed.stream().filter(p -> controller(p).filter(uid::equals).isPresent()).toList(),
        Map.of());
  }

  static Crew of(Live.Deployed deployment, List<Pod> listed, List<ReplicaSet> replicaSets) {
    String uid = deployment.metadata().getUid();
    var revisions = new LinkedHashMap<String, String>();
    replicaSets.stream()
        .filter(r -> controller(r).filter(uid::equals).isPresent())
        .sorted(AGE.reversed())
        .forEach(r ->
            revisions.put(r.getMetadata().getUid(), Fingerprint.of(r.getSpec().getTemplate())));
    return new Crew(
        listed.stream()
            .filter(p -> controller(p).filter(revisions::containsKey).isPresent())
            .filter(p -> p.getStatus() == null || !OVER.contains(p.getStatus().getPhase()))
            .toList(),
        revisions);
  }

  String revision(Pod pod) {
    return controller(pod)
        .map(revisions::get)
        .orElseGet(() -> Pods.labels(pod).getOrDefault(REVISION, ""));
  }

  /** What a Deployment is on its way from: the newest other revision that a pod still runs. */
  String other(String newest) {
    List<String> running = pods.stream().map(this::revision).toList();
    return revisions.values().stream()
        .filter(r -> !r.equals(newest) && running.contains(r))
        .findFirst()
        .orElse(newest);
  }

  private static Optional<String> controller(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .filter(o -> Boolean.TRUE.equals(o.getController()))
        .map(OwnerReference::getUid)
        .findFirst();
  }
}
