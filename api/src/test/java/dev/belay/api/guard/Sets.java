package dev.belay.api.guard;

import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.core.guard.Guard.Claim;
import dev.belay.core.guard.Mark;
import dev.belay.core.model.Workload;
import dev.belay.core.model.Workload.Kind;
import dev.belay.core.model.Workload.Update;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Shapes as manifests and patches, and back. */
final class Sets {

  private static final Map<String, Object> LABELS = Map.of("app", GuardCase.SET);

  /** The whole manifest; the manner says what of the strategy is left out. */
  static String manifest(String namespace, Shape shape, String manner) {
    var spec = new HashMap<String, Object>();
    spec.put("replicas", shape.replicas());
    spec.put("selector", Map.of("matchLabels", LABELS));
    spec.put("template", template(shape));
    if (shape.kind() == Kind.DEPLOYMENT) {
      if (!manner.equals("paused absent")) {
        spec.put("paused", shape.paused());
      }
    } else {
      spec.put("serviceName", GuardCase.SET);
      strategy(spec, shape, manner);
    }
    return json(
        Map.of(
            "apiVersion",
            "apps/v1",
            "kind",
            shape.kind().toString(),
            "metadata",
            metadata(namespace, shape),
            "spec",
            spec));
  }

  private static void strategy(Map<String, Object> spec, Shape shape, String manner) {
    switch (manner) {
      case "updateStrategy absent" -> {}
      case "updateStrategy null" -> spec.put("updateStrategy", null);
      case "partition absent" -> spec.put("updateStrategy", Map.of("type", "RollingUpdate"));
      default -> spec.put("updateStrategy", strategy(shape));
    }
  }

  /** A merge patch of what differs. */
  static String patch(Shape before, Shape after, String manner) {
    var spec = new HashMap<String, Object>();
    if (before.replicas() != after.replicas()) {
      spec.put("replicas", after.replicas());
    }
    if (!before.template().equals(after.template())) {
      spec.put("template", Map.of("spec", Map.of("containers", containers(after))));
    }
    if (after.kind() == Kind.DEPLOYMENT) {
      if (before.paused() != after.paused()) {
        spec.put("paused", after.paused());
      }
    } else if (manner.equals("updateStrategy null")) {
      spec.put("updateStrategy", null);
    } else if (before.update() != after.update()
        || before.partition() != after.partition()
        || manner.equals("partition given")) {
      var strategy = new HashMap<>(strategy(after));
      strategy.putIfAbsent("rollingUpdate", null);
      spec.put("updateStrategy", strategy);
    }
    var patch = new HashMap<String, Object>();
    patch.put("spec", spec);
    patch.put("metadata", metadata(before, after));
    return json(patch);
  }

  private static Map<String, Object> metadata(Shape before, Shape after) {
    var labels = new HashMap<String, Object>();
    var annotations = new HashMap<String, Object>();
    if (after.label()) {
      labels.put("edited", "yes");
    }
    Mark from = before.mark().orElse(Mark.NONE);
    Mark to = after.mark().orElse(Mark.NONE);
    if (!from.cluster().equals(to.cluster())) {
      labels.put(Mark.LABEL, to.cluster().orElse(null));
    }
    if (!from.owner().equals(to.owner())) {
      annotations.put(Mark.ANNOTATION, to.owner().orElse(null));
    }
    return Map.of("labels", labels, "annotations", annotations);
  }

  /** Of a mark only, for a write of the status. */
  static String marks(Shape before, Shape after) {
    return json(Map.of("metadata", metadata(before, after)));
  }

  /** The live object with what the shape says, as a controller changes it before an update. */
  static <T extends HasMetadata> T changed(T live, Shape to) {
    T copy = Serialization.clone(live);
    Mark mark = to.mark().orElse(Mark.NONE);
    copy.getMetadata()
        .setLabels(changed(copy.getMetadata().getLabels(), Mark.LABEL, mark.cluster()));
    copy.getMetadata()
        .setAnnotations(
            changed(copy.getMetadata().getAnnotations(), Mark.ANNOTATION, mark.owner()));
    switch (copy) {
      case StatefulSet set -> {
        image(set.getSpec().getTemplate(), to);
        set.getSpec().getUpdateStrategy().getRollingUpdate().setPartition(to.partition());
      }
      case Deployment deployment -> {
        image(deployment.getSpec().getTemplate(), to);
        deployment.getSpec().setPaused(to.paused());
      }
      default -> throw new IllegalArgumentException("what is a " + live.getKind() + "?");
    }
    return copy;
  }

  private static void image(PodTemplateSpec template, Shape to) {
    template.getSpec().getContainers().getFirst().setImage("db:" + to.template());
  }

  private static Map<String, String> changed(
      Map<String, String> from, String key, Optional<String> value) {
    var to = new HashMap<String, String>(Optional.ofNullable(from).orElse(Map.of()));
    value.ifPresentOrElse(v -> to.put(key, v), () -> to.remove(key));
    return to;
  }

  static Shape shape(HasMetadata workload) {
    return switch (workload) {
      case StatefulSet set -> {
        var strategy = set.getSpec().getUpdateStrategy();
        boolean onDelete = strategy.getType().equals("OnDelete");
        yield shape(
            set,
            set.getSpec().getTemplate(),
            onDelete ? Update.ON_DELETE : Update.ROLLING_UPDATE,
            onDelete ? 0 : strategy.getRollingUpdate().getPartition(),
            set.getSpec().getReplicas());
      }
      case Deployment deployment ->
          shape(
              deployment,
              deployment.getSpec().getTemplate(),
              Update.ROLLING_UPDATE,
              Boolean.TRUE.equals(deployment.getSpec().getPaused()) ? Workload.FROZEN : 0,
              deployment.getSpec().getReplicas());
      default -> throw new IllegalArgumentException("what is a " + workload.getKind() + "?");
    };
  }

  private static Shape shape(
      HasMetadata of, PodTemplateSpec template, Update update, int partition, int replicas) {
    var annotations = Optional.ofNullable(template.getMetadata().getAnnotations()).orElse(Map.of());
    var labels = Optional.ofNullable(of.getMetadata().getLabels()).orElse(Map.of());
    String image = template.getSpec().getContainers().getFirst().getImage();
    return new Shape(
        of instanceof Deployment ? Kind.DEPLOYMENT : Kind.STATEFUL_SET,
        image.substring(image.indexOf(':') + 1).toUpperCase(java.util.Locale.ROOT),
        annotations.containsKey("kubectl.kubernetes.io/restartedAt"),
        update,
        partition,
        replicas,
        labels.containsKey("edited"),
        Optional.of(
            new Mark(
                Optional.ofNullable(labels.get(Mark.LABEL)),
                Optional.ofNullable(of.getMetadata().getAnnotations())
                    .map(a -> a.get(Mark.ANNOTATION)))));
  }

  static String claim(Claim claim, boolean force) {
    var components =
        claim.workloads().stream()
            .map(w ->
                Map.of(
                    "name",
                    "db",
                    "workload",
                    Map.of("kind", w.kind().toString(), "name", w.name()),
                    "driver",
                    Map.of("type", "none")))
            .toList();
    return json(
        Map.of(
            "apiVersion",
            "belay.dev/v1alpha1",
            "kind",
            "StatefulCluster",
            "metadata",
            Map.of(
                "name", claim.cluster(),
                "namespace", claim.namespace(),
                "annotations", force ? Map.of("belay.dev/force-rolling-update", "true") : Map.of()),
            "spec",
            Map.of("components", components)));
  }

  private static Map<String, Object> metadata(String namespace, Shape shape) {
    var metadata = new HashMap<>(metadata(shape.marked(Mark.NONE), shape));
    metadata.put("name", GuardCase.SET);
    metadata.put("namespace", namespace);
    return metadata;
  }

  private static Map<String, Object> strategy(Shape shape) {
    return switch (shape.update()) {
      case ON_DELETE -> Map.of("type", "OnDelete");
      case RECREATE -> throw new AssertionError("no StatefulSet has this strategy");
      case ROLLING_UPDATE ->
          Map.of("type", "RollingUpdate", "rollingUpdate", Map.of("partition", shape.partition()));
    };
  }

  private static Map<String, Object> template(Shape shape) {
    return Map.of(
        "metadata", Map.of("labels", LABELS), "spec", Map.of("containers", containers(shape)));
  }

  private static List<Object> containers(Shape shape) {
    return List.of(Map.of("name", "db", "image", "db:" + shape.template()));
  }

  private static String json(Object value) {
    return Serialization.asJson(value);
  }

  private Sets() {}
}
