package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.Component;
import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds an older StatefulCluster that names the same workload: only the oldest may touch it. */
final class Rivals {

  private static final Comparator<StatefulCluster> AGE =
      Comparator.comparing((StatefulCluster c) -> c.getMetadata().getCreationTimestamp())
          .thenComparing(c -> c.getMetadata().getName());

  private Rivals() {}

  static Optional<String> olderThan(
      List<StatefulCluster> clusters, StatefulCluster self, Live.Name workload) {
    return clusters.stream()
        .filter(c -> !c.getMetadata().getUid().equals(self.getMetadata().getUid()))
        .filter(c -> c.getMetadata().getDeletionTimestamp() == null)
        .filter(c ->
            c.getSpec().components().stream()
                .map(part -> name(part.workload()))
                .anyMatch(workload::equals))
        .filter(c -> AGE.compare(c, self) < 0)
        .min(AGE)
        .map(c -> c.getMetadata().getName());
  }

  private static Live.Name name(Component.Workload workload) {
    return new Live.Name(Mapping.kind(workload.kindOrDefault()), workload.name());
  }
}
