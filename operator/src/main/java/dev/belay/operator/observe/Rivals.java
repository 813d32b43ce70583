package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.Component;
import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds another StatefulCluster that names the same workload and goes first: the one that has
 * marked it, else the oldest.
 */
final class Rivals {

  private static final Comparator<StatefulCluster> AGE =
      Comparator.comparing((StatefulCluster c) -> c.getMetadata().getCreationTimestamp())
          .thenComparing(c -> c.getMetadata().getName());

  private Rivals() {}

  /**
   * @param mark the StatefulCluster that the label of the workload names
   */
  static Optional<String> of(
      List<StatefulCluster> clusters,
      StatefulCluster self,
      Live.Name workload,
      Optional<String> mark) {
    if (mark.filter(self.getMetadata().getName()::equals).isPresent()) {
      return Optional.empty();
    }
    List<StatefulCluster> others =
        clusters.stream()
            .filter(c -> !c.getMetadata().getUid().equals(self.getMetadata().getUid()))
            .filter(c -> names(c, workload))
            .toList();
    // Also while it is being deleted: it may have to undo something.
    Optional<StatefulCluster> marked =
        others.stream()
            .filter(c -> mark.filter(c.getMetadata().getName()::equals).isPresent())
            .findFirst();
    return marked
        .or(() ->
            others.stream()
                .filter(c -> c.getMetadata().getDeletionTimestamp() == null)
                .filter(c -> AGE.compare(c, self) < 0)
                .min(AGE))
        .map(c -> c.getMetadata().getName());
  }

  private static boolean names(StatefulCluster cluster, Live.Name workload) {
    return cluster.getSpec().components().stream()
        .map(part -> name(part.workload()))
        .anyMatch(workload::equals);
  }

  private static Live.Name name(Component.Workload workload) {
    return new Live.Name(Mapping.kind(workload.kindOrDefault()), workload.name());
  }
}
