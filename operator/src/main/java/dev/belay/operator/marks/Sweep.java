package dev.belay.operator.marks;

import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.operator.observe.Live;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the marks of this operator, and labels without an owner, from workloads whose
 * StatefulCluster is gone or no longer names them. So a StatefulCluster needs no finalizer for its
 * marks, and its deletion never waits.
 */
public final class Sweep {

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  private final KubernetesClient client;
  private final Self self;
  private final MarkedWorkloads marked;
  private final MarkWriter writer;

  public Sweep(KubernetesClient client, Self self) {
    this.client = client;
    this.self = self;
    this.marked = new MarkedWorkloads(client);
    this.writer = new MarkWriter(client);
  }

  /**
   * In all of the namespaces; an empty list stands for every namespace. A label without an owner is
   * nobody's, and would freeze templates for ever.
   */
  public void orphans(List<String> namespaces) {
    try {
      marked.in(
          namespaces,
          w -> {
            if (isOurs(w) || w.mark().owner().isEmpty()) {
              releaseIfOrphaned(w);
            }
          });
    } catch (RuntimeException e) {
      // The next sweep tries again; an exception would end all sweeps.
      LOG.warn("marked workloads were not listed: {}", e.getMessage());
    }
  }

  /**
   * Removes every mark of this operator, as for its uninstallation.
   *
   * @param except clusters that were not released, as NAMESPACE/NAME: their workloads stay guarded
   * @return how many marks are left, of others than those
   */
  public int uninstall(List<String> namespaces, Set<String> except) {
    int[] left = {0};
    marked.in(
        namespaces,
        w -> {
          String cluster = w.metadata().getNamespace() + "/" + w.mark().cluster().orElse("");
          if (isOurs(w)
              && !except.contains(cluster)
              && !released(w, "the operator is uninstalled")) {
            left[0]++;
          }
        });
    return left[0];
  }

  private boolean isOurs(Live workload) {
    return workload.mark().heldBy(self.account());
  }

  /** A StatefulCluster that cannot be read keeps its marks, and the sweep goes on. */
  private void releaseIfOrphaned(Live workload) {
    try {
      if (!isNamed(workload)) {
        boolean _ = released(workload, "its StatefulCluster is gone or no longer names it");
      }
    } catch (RuntimeException e) {
      LOG.warn(
          "the StatefulCluster of {} {}/{} was not read: {}",
          workload.kind(),
          workload.metadata().getNamespace(),
          workload.metadata().getName(),
          e.getMessage());
    }
  }

  private boolean released(Live workload, String why) {
    boolean released = writer.release(workload);
    if (released) {
      LOG.info(
          "{} {}/{} is no longer guarded: {} ({})",
          workload.kind(),
          workload.metadata().getNamespace(),
          workload.metadata().getName(),
          why,
          workload.mark().cluster().orElse(""));
    }
    return released;
  }

  private boolean isNamed(Live workload) {
    var clusters =
        client.resources(StatefulCluster.class).inNamespace(workload.metadata().getNamespace());
    String name = workload.mark().cluster().orElseThrow();
    @Nullable StatefulCluster cluster = clusters.withName(name).get();
    if (cluster == null) {
      // An API server that does not serve the CRD yet says 404 for each, but refuses the list.
      return clusters.list().getItems().stream()
          .anyMatch(c -> c.getMetadata().getName().equals(name) && names(c, workload));
    }
    return names(cluster, workload);
  }

  private static boolean names(StatefulCluster cluster, Live workload) {
    return cluster.getSpec().components().stream()
        .map(c -> c.workload())
        .anyMatch(w ->
            Mapping.kind(w.kindOrDefault()) == workload.kind()
                && w.name().equals(workload.metadata().getName()));
  }
}
