package dev.belay.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Every uid that each pod of a namespace ever had, and who was away, while this watched. */
final class PodHistory implements AutoCloseable {

  private final Map<String, Set<String>> uids = new TreeMap<>();
  private final Set<String> away = new HashSet<>();
  private final Set<String> takenDown = new HashSet<>();
  private final List<String> told = new ArrayList<>();
  private int mostAway;
  private int mostTakenDown;
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
                    seen(pod, serves(pod), false);
                  }

                  @Override
                  public void onUpdate(Pod before, Pod after) {
                    seen(after, serves(after), after.getMetadata().getDeletionTimestamp() != null);
                  }

                  @Override
                  public void onDelete(Pod pod, boolean unknown) {
                    seen(pod, false, true);
                  }
                });
  }

  private synchronized void seen(Pod pod, boolean serves, boolean goes) {
    String name = pod.getMetadata().getName();
    uids.computeIfAbsent(name, _ -> new LinkedHashSet<>()).add(pod.getMetadata().getUid());
    if (serves ? away.remove(name) : away.add(name)) {
      told.add(
          "%s %s, away: %s"
              .formatted(
                  LocalTime.now(ZoneId.systemDefault()), name + (serves ? " up" : " down"), away));
    }
    if (goes) {
      takenDown.add(name);
    } else if (serves) {
      takenDown.remove(name);
    }
    mostAway = Math.max(mostAway, away.size());
    mostTakenDown = Math.max(mostTakenDown, takenDown.size());
  }

  static boolean serves(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && pod.getStatus().getConditions().stream()
            .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
  }

  /** Who went and came when. */
  synchronized String told() {
    return String.join("\n", told);
  }

  /** How many were going, gone or not ready at the same time. */
  synchronized int mostAway() {
    return mostAway;
  }

  /** How many were deleted and not yet back at the same time: what somebody decided, no more. */
  synchronized int mostTakenDown() {
    return mostTakenDown;
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
