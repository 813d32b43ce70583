package dev.belay.demo;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Every uid that each pod of a namespace ever had, while this watched. */
final class PodHistory implements AutoCloseable {

  private final Map<String, Set<String>> uids = new TreeMap<>();
  private final SharedIndexInformer<Pod> informer;

  PodHistory(KubernetesClient client, String namespace) {
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
                  public void onUpdate(Pod before, Pod after) {
                    seen(after);
                  }

                  @Override
                  public void onDelete(Pod pod, boolean unknown) {
                    seen(pod);
                  }
                });
  }

  private synchronized void seen(Pod pod) {
    uids.computeIfAbsent(pod.getMetadata().getName(), _ -> new LinkedHashSet<>())
        .add(pod.getMetadata().getUid());
  }

  /** How many different pods bore each name. */
  synchronized Map<String, Integer> lives() {
    Map<String, Integer> lives = new TreeMap<>();
    uids.forEach((name, all) -> lives.put(name, all.size()));
    return lives;
  }

  @Override
  public void close() {
    informer.close();
  }
}
