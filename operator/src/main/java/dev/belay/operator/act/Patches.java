package dev.belay.operator.act;

import dev.belay.core.model.Workload;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Step;
import dev.belay.operator.observe.Live;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.Eviction;
import io.fabric8.kubernetes.api.model.policy.v1.EvictionBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The bodies of the writes, each with the uid and resourceVersion it is conditional on. */
final class Patches {

  private Patches() {}

  /** The partition of a set; of a Deployment, which has none, whether it is paused. */
  static String partition(Live workload, Step.PartitionWrite write) {
    Map<String, Object> spec =
        switch (workload) {
          case Live.Set _ -> Map.of("updateStrategy", partition(write.partition()));
          case Live.Deployed _ -> Map.of("paused", write.partition() == Workload.FROZEN);
        };
    // Its controller writes the status of a rolling Deployment all the time: a stop, which can only
    // take something back, must not lose against that.
    boolean stops = workload instanceof Live.Deployed && write instanceof Step.Freeze;
    Map<String, String> only =
        stops ? Map.of("uid", write.fence().uid()) : condition(write.fence());
    return json(Map.of("metadata", only, "spec", spec));
  }

  /** Images by container name, and frozen in the same write where anything could roll by itself. */
  static String template(Live workload, Step.SetTemplate step) {
    var pod = workload.template().getSpec();
    Map<String, Object> containers =
        Map.of(
            "containers", images(pod.getContainers(), step.images()),
            "initContainers", images(pod.getInitContainers(), step.images()));
    var spec = new TreeMap<String, Object>();
    spec.put("template", Map.of("spec", containers));
    switch (workload) {
      case Live.Set set when set.onDelete() -> {}
      case Live.Set _ -> spec.put("updateStrategy", partition(Workload.FROZEN));
      case Live.Deployed _ -> spec.put("paused", true);
    }
    return json(Map.of("metadata", condition(step.fence()), "spec", spec));
  }

  static Eviction eviction(String namespace, Step.Evict step) {
    return new EvictionBuilder()
        .withNewMetadata()
        .withName(step.pod())
        .withNamespace(namespace)
        .endMetadata()
        .withDeleteOptions(onlyIf(step.fence(), step.uid()))
        .build();
  }

  /** A pod that is still the one that was looked at. */
  static DeleteOptions onlyIf(Fence.ObjectVersion fence, String uid) {
    return new DeleteOptionsBuilder().withNewPreconditions(fence.resourceVersion(), uid).build();
  }

  /** Moves the object on, so that a late write of the revoked step meets a conflict. */
  static String revocation(Step.Revoke step) {
    var metadata = new TreeMap<String, Object>(condition(step.fence()));
    metadata.put("annotations", Map.of("belay.dev/revoked", step.stepId()));
    return json(Map.of("metadata", metadata));
  }

  /** Takes the force annotation away from the very object that had it. */
  static String withoutForce(String uid) {
    String path = "/metadata/annotations/belay.dev~1force-rolling-update";
    return Serialization.asJson(
        List.of(
            Map.of("op", "test", "path", "/metadata/uid", "value", uid),
            Map.of("op", "test", "path", path, "value", "true"),
            Map.of("op", "remove", "path", path)));
  }

  static Map<String, String> condition(Fence.ObjectVersion fence) {
    return Map.of("uid", fence.uid(), "resourceVersion", fence.resourceVersion());
  }

  /** Without the type: where it is OnDelete there is no partition, and the API server says so. */
  private static Map<String, Object> partition(int partition) {
    return Map.of("rollingUpdate", Map.of("partition", partition));
  }

  private static List<Map<String, String>> images(
      List<Container> containers, Map<String, String> images) {
    return containers.stream()
        .filter(c -> images.containsKey(c.getName()))
        .map(c -> Map.of("name", c.getName(), "image", images.getOrDefault(c.getName(), "")))
        .toList();
  }

  private static String json(Map<String, ?> body) {
    return Serialization.asJson(body);
  }
}
