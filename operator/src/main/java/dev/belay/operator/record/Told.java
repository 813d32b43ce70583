package dev.belay.operator.record;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.core.report.Report;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The reasons that were told of a cluster since it last moved: two that take turns are each told
 * once.
 *
 * @param about what they are reasons for: the generation of the spec and the version aimed at
 */
record Told(String about, Set<String> reasons) {

  Told {
    reasons = Set.copyOf(reasons);
  }

  /** What a process before this one told, as the status has it. */
  static Told by(StatefulCluster cluster) {
    StatefulClusterStatus status = cluster.getStatus();
    if (status == null || status.phase() == null) {
      return new Told("", Set.of());
    }
    var blocked = status.blockedBy();
    return new Told(
        about(status.observedGeneration(), status.targetVersion()),
        Set.of(
            reason(
                status.phase(), blocked == null ? "" : blocked.rule() + " " + blocked.object())));
  }

  static String reason(String phase, String objection) {
    return (phase + " " + objection).strip();
  }

  private static String about(@Nullable Long generation, @Nullable String version) {
    return generation + " " + Objects.requireNonNullElse(version, "");
  }

  Told about(StatefulCluster cluster, Report report) {
    String now = about(cluster.getMetadata().getGeneration(), report.targetVersion());
    return now.equals(about) ? this : new Told(now, Set.of());
  }

  Told moved() {
    return new Told(about, Set.of());
  }

  Told with(String reason) {
    var more = new HashSet<>(reasons);
    more.add(reason);
    return new Told(about, more);
  }
}
