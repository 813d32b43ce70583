package dev.belay.sandbox.node;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells about pods in events; the same words again only raise the count. */
record Events(KubernetesClient client, ExecutorService writer, Map<String, Integer> counts) {
  private static final Logger LOG = LoggerFactory.getLogger(Events.class);

  Events(KubernetesClient client, ExecutorService writer) {
    this(client, writer, new ConcurrentHashMap<>());
  }

  void normal(Pod pod, String reason, String message) {
    tell(pod, "Normal", reason, message);
  }

  void warning(Pod pod, String reason, String message) {
    tell(pod, "Warning", reason, message);
  }

  private void tell(Pod pod, String type, String reason, String message) {
    String meta = pod.getMetadata().getUid() + reason + message;
    String name =
        "%s.%08x%08x"
            .formatted(pod.getMetadata().getName(), meta.hashCode(), (message + reason).hashCode());
    int count = counts.merge(name, 1, Integer::sum);
    Instant now = Instant.now();
    try {
      // In order and not by the pod's own thread: nobody waits for an event to be written.
      writer.execute(() -> {
        try {
          write(pod, name, type, reason, message, count, now);
        } catch (KubernetesClientException e) {
          LOG.debug("event {} of {} not written: {}", reason, name, e.getMessage());
        }
      });
    } catch (RejectedExecutionException closing) {
      LOG.debug("event {} of {} not written: closing", reason, name);
    }
  }

  private void write(
      Pod pod, String name, String type, String reason, String message, int count, Instant now) {
    var events = client.v1().events().inNamespace(pod.getMetadata().getNamespace());
    String time = StatusOf.time(now);
    if (count > 1) {
      events
          .withName(name)
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              "{\"count\":%d,\"lastTimestamp\":\"%s\"}".formatted(count, time));
      return;
    }
    events
        .resource(
            new EventBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(pod.getMetadata().getNamespace())
                .endMetadata()
                .withInvolvedObject(
                    new ObjectReferenceBuilder()
                        .withApiVersion("v1")
                        .withKind("Pod")
                        .withNamespace(pod.getMetadata().getNamespace())
                        .withName(pod.getMetadata().getName())
                        .withUid(pod.getMetadata().getUid())
                        .build())
                .withType(type)
                .withReason(reason)
                .withMessage(message)
                .withNewSource("kubelet", pod.getSpec().getNodeName())
                .withReportingComponent("kubelet")
                .withReportingInstance(pod.getSpec().getNodeName())
                .withFirstTimestamp(time)
                .withLastTimestamp(time)
                .withCount(count)
                .build())
        .create();
  }
}
