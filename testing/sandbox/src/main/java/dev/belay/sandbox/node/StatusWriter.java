package dev.belay.sandbox.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes every status of one pod in order, and none for a pod that took its name later. */
final class StatusWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StatusWriter.class);

  private final KubernetesClient client;
  private final String namespace;
  private final String name;
  private final String uid;
  private final Map<String, PodCondition> conditions = new HashMap<>();
  private final LinkedBlockingQueue<StatusOf> queue = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile @Nullable PodStatus written;
  private volatile boolean closed;

  StatusWriter(KubernetesClient client, Pod pod) {
    this.client = client;
    this.namespace = pod.getMetadata().getNamespace();
    this.name = pod.getMetadata().getName();
    this.uid = pod.getMetadata().getUid();
    pod.getStatus().getConditions().forEach(c -> conditions.put(c.getType(), c));
    this.thread = Thread.ofVirtual().name("status-" + name).start(this::drain);
  }

  void submit(StatusOf status) {
    queue.add(status);
  }

  /**
   * Whether the control plane took a ready pod for unready, as it does with those of lost nodes.
   */
  boolean isOverruled(Pod seen) {
    boolean overruled = isReady(written, "True") && isReady(seen.getStatus(), "False");
    if (overruled) {
      written = null;
    }
    return overruled;
  }

  private static boolean isReady(@Nullable PodStatus status, String value) {
    return status != null
        && status.getConditions().stream()
            .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals(value));
  }

  private void drain() {
    try {
      while (!closed) {
        write(queue.take());
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  /** Writes unless nothing changed; an API server that does not answer is asked again. */
  synchronized void write(StatusOf status) {
    PodStatus rendered = status.render(conditions, Instant.now());
    for (int tries = 0; !closed && tries < 20 && !rendered.equals(written); tries++) {
      try {
        Map<String, Object> patch = Map.of("metadata", Map.of("uid", uid), "status", rendered);
        client
            .pods()
            .inNamespace(namespace)
            .withName(name)
            .subresource("status")
            .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), Serialization.asJson(patch));
        written = rendered;
        rendered.getConditions().forEach(c -> conditions.put(c.getType(), c));
      } catch (KubernetesClientException e) {
        if (e.getCode() == 404 || e.getCode() == 409) {
          LOG.debug("status of {}/{} is nobody's any more: {}", namespace, name, e.getMessage());
          return;
        }
        LOG.debug("status of {}/{} not written: {}", namespace, name, e.getMessage());
        if (!pause()) {
          return;
        }
      }
    }
  }

  /** Writes this one and nothing after it, whatever was submitted before. */
  synchronized void finish(StatusOf status) {
    queue.clear();
    write(status);
    close();
  }

  private static boolean pause() {
    try {
      Thread.sleep(250);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
