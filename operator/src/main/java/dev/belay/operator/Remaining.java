package dev.belay.operator;

import dev.belay.api.v1alpha1.StatefulCluster;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The StatefulClusters that an uninstallation finds. Only their owners are read: a newer version of
 * Belay may have written something else that this one cannot read.
 *
 * @param namespaces that were read; none stands for all of them
 * @param unreadable namespaces, and why
 */
record Remaining(List<String> namespaces, List<Cluster> clusters, Map<String, String> unreadable) {

  private static final ResourceDefinitionContext KIND =
      ResourceDefinitionContext.fromResourceType(StatefulCluster.class);

  /**
   * @param install that owns the cluster, or owned it last; empty when none did
   */
  record Cluster(String namespace, String name, String install, boolean released) {

    static Cluster of(GenericKubernetesResource raw) {
      var meta = raw.getMetadata();
      return new Cluster(
          meta.getNamespace(),
          meta.getName(),
          raw.get("status", "owner", "install") instanceof String install ? install : "",
          Boolean.TRUE.equals(raw.get("status", "owner", "released")));
    }

    @Override
    public String toString() {
      return namespace + "/" + name;
    }
  }

  /**
   * Lists the StatefulClusters of these namespaces; none stands for all of them. A namespace that
   * is gone took the rights of the operator with it, and must not keep the others.
   */
  static Remaining of(KubernetesClient client, List<String> namespaces) {
    var all = client.genericKubernetesResources(KIND);
    var clusters = new ArrayList<Cluster>();
    if (namespaces.isEmpty()) {
      clusters.addAll(served(() -> all.inAnyNamespace().list().getItems()));
      return new Remaining(List.of(), clusters, Map.of());
    }
    var read = new ArrayList<String>();
    var unreadable = new TreeMap<String, String>();
    for (String namespace : namespaces) {
      try {
        clusters.addAll(served(() -> all.inNamespace(namespace).list().getItems()));
        read.add(namespace);
      } catch (KubernetesClientException e) {
        unreadable.put(namespace, String.valueOf(e.getMessage()));
      }
    }
    return new Remaining(read, clusters, unreadable);
  }

  /** None without the CRD. */
  private static List<Cluster> served(Supplier<List<GenericKubernetesResource>> list) {
    try {
      return list.get().stream().map(Cluster::of).toList();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return List.of();
      }
      throw e;
    }
  }

  /** Whether no namespace was read: no namespace otherwise stands for all of them. */
  boolean nothingRead() {
    return namespaces.isEmpty() && !unreadable.isEmpty();
  }

  /** Those that the install owns, or released last. */
  List<Cluster> ownedBy(String install) {
    return clusters.stream().filter(c -> c.install().equals(install)).toList();
  }

  /** Those that another install owns: it may have the same account. */
  List<Cluster> ownedByOthers(String install) {
    return clusters.stream()
        .filter(c -> !c.install().isEmpty() && !c.install().equals(install) && !c.released())
        .toList();
  }
}
