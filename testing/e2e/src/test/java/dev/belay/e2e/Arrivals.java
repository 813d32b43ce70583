package dev.belay.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Every pod that was made in a namespace since it is watched, in order, as {@code app image}, and
 * which of them came while one of another app was not ready.
 */
final class Arrivals implements AutoCloseable {

  private final List<String> made = new ArrayList<>();
  private final Set<String> before = new HashSet<>();
  private final Map<String, String> away = new TreeMap<>();
  private final List<String> early = new ArrayList<>();
  private final SharedIndexInformer<Pod> informer;

  Arrivals(KubernetesClient client, String namespace) {
    client.pods().inNamespace(namespace).list().getItems().stream()
        .map(p -> p.getMetadata().getUid())
        .forEach(before::add);
    informer =
        client
            .pods()
            .inNamespace(namespace)
            .inform(
                new ResourceEventHandler<>() {
                  @Override
                  public void onAdd(Pod pod) {
                    seen(pod);
                  }

                  @Override
                  public void onUpdate(Pod old, Pod pod) {
                    seen(pod);
                  }

                  @Override
                  public void onDelete(Pod pod, boolean unknown) {
                    gone(pod);
                  }
                });
  }

  private synchronized void seen(Pod pod) {
    String name = pod.getMetadata().getName();
    String app = pod.getMetadata().getLabels().get("app");
    if (before.add(pod.getMetadata().getUid())) {
      made.add(app + " " + pod.getSpec().getContainers().getFirst().getImage());
      if (away.values().stream().anyMatch(other -> !other.equals(app))) {
        early.add(name + " beside " + away);
      }
    }
    if (PodHistory.serves(pod)) {
      away.remove(name);
    } else {
      away.put(name, app);
    }
  }

  /** One of a set is away until its successor serves; one of a Deployment has another name. */
  private synchronized void gone(Pod pod) {
    if (pod.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> owner.getKind().equals("ReplicaSet"))) {
      away.remove(pod.getMetadata().getName());
    }
  }

  synchronized List<String> made() {
    return List.copyOf(made);
  }

  /** Who came too early, and beside whom. */
  synchronized List<String> early() {
    return List.copyOf(early);
  }

  @Override
  public void close() {
    informer.close();
  }
}
