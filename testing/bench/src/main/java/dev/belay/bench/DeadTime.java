package dev.belay.bench;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Watches the pods of one set and measures, for each step of a roll-out, how long nobody worked:
 * from "the replaced pod is ready" to "the next pod is told to go". All times are taken when the
 * event arrives here, so that every contender is measured by the same watch.
 */
final class DeadTime implements Watcher<Pod>, AutoCloseable {

  private final Watch watch;
  private final Map<String, String> readyUid = new HashMap<>();
  private final Map<String, Boolean> going = new HashMap<>();
  private final List<Duration> steps = new ArrayList<>();
  private long lastReady;

  DeadTime(KubernetesClient client, String namespace, String app) {
    client
        .pods()
        .inNamespace(namespace)
        .withLabel("app", app)
        .list()
        .getItems()
        .forEach(p -> readyUid.put(p.getMetadata().getName(), p.getMetadata().getUid()));
    this.watch = client.pods().inNamespace(namespace).withLabel("app", app).watch(this);
  }

  @Override
  public synchronized void eventReceived(Action action, Pod pod) {
    String name = pod.getMetadata().getName();
    String uid = pod.getMetadata().getUid();
    boolean leaves = pod.getMetadata().getDeletionTimestamp() != null;
    if (leaves && going.putIfAbsent(uid, true) == null && lastReady != 0) {
      steps.add(Duration.ofNanos(System.nanoTime() - lastReady));
    }
    if (!leaves && ready(pod) && !uid.equals(readyUid.put(name, uid))) {
      lastReady = System.nanoTime();
    }
    if (!leaves && !ready(pod)) {
      readyUid.remove(name, uid);
    }
  }

  private static boolean ready(Pod pod) {
    return pod.getStatus() != null
        && pod.getStatus().getConditions().stream()
            .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
  }

  @Override
  public void onClose(@Nullable WatcherException cause) {}

  /** One time per step but the first, which no pod went before. */
  synchronized List<Duration> steps() {
    return List.copyOf(steps);
  }

  @Override
  public void close() {
    watch.close();
  }
}
