package dev.belay.operator.marks;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.belay.core.guard.Mark;
import dev.belay.core.state.Fence;
import dev.belay.operator.PatchRequest;
import dev.belay.operator.observe.Live;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes and removes the mark of one workload, in the state in which it was read. */
final class MarkWriter {

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  private final KubernetesClient client;

  MarkWriter(KubernetesClient client) {
    this.client = client;
  }

  /** Whether it was written. */
  boolean write(Live workload, Mark mark) {
    return write(workload, mark, Set.of());
  }

  /** Removes the mark and the labels that Belay applied; the partition stays as it is. */
  boolean release(Live workload) {
    return write(workload, Mark.NONE, AppliedLabels.onlyBelays(workload.metadata()));
  }

  private boolean write(Live workload, Mark mark, Collection<String> removed) {
    var meta = workload.metadata();
    // A null removes the field.
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata =
        patch
            .putObject("metadata")
            .put("uid", meta.getUid())
            .put("resourceVersion", meta.getResourceVersion());
    ObjectNode labels = metadata.putObject("labels");
    removed.forEach(labels::putNull);
    labels.put(Mark.LABEL, mark.cluster().orElse(null));
    metadata.putObject("annotations").put(Mark.ANNOTATION, mark.owner().orElse(null));
    String object = workload.kind() + " " + meta.getNamespace() + "/" + meta.getName();
    return sent(
            object,
            () ->
                PatchRequest.to(
                        client, meta.getNamespace(), Fence.Kind.of(workload.kind()), meta.getName())
                    .send(PatchType.JSON_MERGE, patch.toString()))
        .filter(answer -> stored(object, mark, answer))
        .isPresent();
  }

  /** The guard keeps the old mark, without an error, when the account may not change it. */
  private static boolean stored(String object, Mark mark, String answer) {
    Optional<String> owner =
        Optional.ofNullable(
                Serialization.unmarshal(answer, GenericKubernetesResource.class)
                    .getMetadata()
                    .getAnnotations())
            .map(a -> a.get(Mark.ANNOTATION));
    boolean same = mark.owner().equals(owner);
    if (!same) {
      LOG.warn(
          "the mark of {} was not stored: the guard kept the old one. fix: give the operator's"
              + " account the verb own on statefulclusters.belay.dev (deploy/rbac.yaml)",
          object);
    }
    return same;
  }

  /**
   * The answer; empty when the write was refused. A conflict means that the object has changed
   * since: the next observation decides anew.
   */
  static Optional<String> sent(String object, Supplier<String> write) {
    try {
      return Optional.of(write.get());
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT
          && e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        LOG.warn("the mark of {} was not written: {}", object, e.getMessage());
      }
      return Optional.empty();
    }
  }
}
