package dev.belay.demo;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Every pod that was made in a namespace since it is watched, in order, as {@code app image}. */
final class Arrivals implements AutoCloseable {

  private final List<String> made = new ArrayList<>();
  private final Set<String> before = new HashSet<>();
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
                  public void onDelete(Pod pod, boolean unknown) {}
                });
  }

  private synchronized void seen(Pod pod) {
    if (before.add(pod.getMetadata().getUid())) {
      made.add(
          pod.getMetadata().getLabels().get("app")
              + " "
              + pod.getSpec().getContainers().getFirst().getImage());
    }
  }

  synchronized List<String> made() {
    return List.copyOf(made);
  }

  @Override
  public void close() {
    informer.close();
  }
}
