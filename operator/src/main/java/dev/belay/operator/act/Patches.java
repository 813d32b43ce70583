package dev.belay.operator.act;

import dev.belay.core.plan.Step;
import dev.belay.core.snapshot.Memory.Fence;
import dev.belay.core.snapshot.Workload;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;

/** The bodies of the writes, each with the uid and resourceVersion it is conditional on. */
final class Patches {

  private Patches() {}

  static String partition(Step.PartitionWrite write) {
    return json(
        Map.of(
            "metadata",
            condition(write.fence()),
            "spec",
            Map.of("updateStrategy", strategy(write.partition()))));
  }

  /** Images by container name, and frozen in the same write. */
  static String template(StatefulSet set, Step.SetTemplate step) {
    var pod = set.getSpec().getTemplate().getSpec();
    Map<String, Object> containers =
        Map.of(
            "containers", images(pod.getContainers(), step.images()),
            "initContainers", images(pod.getInitContainers(), step.images()));
    return json(
        Map.of(
            "metadata",
            condition(step.fence()),
            "spec",
            Map.of(
                "template",
                Map.of("spec", containers),
                "updateStrategy",
                strategy(Workload.FROZEN))));
  }

  /** Moves the object on, so that a late write of the revoked step meets a conflict. */
  static String revocation(Step.Revoke step) {
    var metadata = new java.util.TreeMap<String, Object>(condition(step.fence()));
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

  static Map<String, String> condition(Fence fence) {
    return Map.of("uid", uid(fence), "resourceVersion", resourceVersion(fence));
  }

  static String uid(Fence fence) {
    return fence.state().substring(0, fence.state().indexOf('/'));
  }

  static String resourceVersion(Fence fence) {
    return fence.state().substring(fence.state().indexOf('/') + 1);
  }

  private static Map<String, Object> strategy(int partition) {
    return Map.of("type", "RollingUpdate", "rollingUpdate", Map.of("partition", partition));
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
