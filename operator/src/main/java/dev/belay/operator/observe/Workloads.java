package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.Fingerprint;
import dev.belay.core.model.Workload;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a StatefulSet or a Deployment as core wants to see it. */
final class Workloads {

  private static final String DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

  private Workloads() {}

  static Workload workload(Live.Set live) {
    StatefulSet set = live.object();
    var spec = set.getSpec();
    var status = set.getStatus();
    PodTemplateSpec template = spec.getTemplate();
    Map<String, String> images =
        images(template.getSpec().getInitContainers(), template.getSpec().getContainers());
    return new Workload(
            set.getMetadata().getName(),
            set.getMetadata().getUid(),
            set.getMetadata().getResourceVersion(),
            number(set.getMetadata().getGeneration()),
            status == null ? 0 : number(status.getObservedGeneration()),
            spec.getReplicas() == null ? 1 : spec.getReplicas(),
            spec.getOrdinals() == null ? 0 : orZero(spec.getOrdinals().getStart()),
            live.onDelete() ? Workload.Update.ON_DELETE : Workload.Update.ROLLING_UPDATE,
            partition(set),
            "Parallel".equals(spec.getPodManagementPolicy())
                ? Workload.Order.PARALLEL
                : Workload.Order.ORDERED_READY,
            status == null ? "" : Objects.requireNonNullElse(status.getCurrentRevision(), ""),
            status == null ? "" : Objects.requireNonNullElse(status.getUpdateRevision(), ""),
            images,
            mainContainer(template),
            set.getMetadata().getDeletionTimestamp() != null)
        .writtenBy(Writers.ofImages(set.getMetadata(), images.keySet()));
  }

  static Workload workload(Live.Deployed live, Crew crew) {
    Deployment deployment = live.object();
    var meta = deployment.getMetadata();
    var spec = deployment.getSpec();
    var status = deployment.getStatus();
    PodTemplateSpec template = spec.getTemplate();
    String newest = Fingerprint.of(template);
    Map<String, String> images =
        images(template.getSpec().getInitContainers(), template.getSpec().getContainers());
    return new Workload(
        Workload.Kind.DEPLOYMENT,
        meta.getName(),
        meta.getUid(),
        meta.getResourceVersion(),
        number(meta.getGeneration()),
        status == null ? 0 : number(status.getObservedGeneration()),
        spec.getReplicas() == null ? 1 : spec.getReplicas(),
        0,
        recreates(spec) ? Workload.Update.RECREATE : Workload.Update.ROLLING_UPDATE,
        live.paused() ? Workload.FROZEN : 0,
        Workload.Order.PARALLEL,
        crew.other(newest),
        newest,
        images,
        mainContainer(template),
        meta.getDeletionTimestamp() != null,
        stalled(live),
        Writers.ofImages(meta, images.keySet()));
  }

  private static boolean recreates(DeploymentSpec spec) {
    return spec.getStrategy() != null && "Recreate".equals(spec.getStrategy().getType());
  }

  /**
   * Why its controller gave up. The condition outlives a pause and a newer template; only of one
   * that rolls what it has seen does it speak of now.
   */
  private static String stalled(Live.Deployed live) {
    var status = live.object().getStatus();
    if (status == null
        || live.paused()
        || number(status.getObservedGeneration()) < number(live.metadata().getGeneration())) {
      return "";
    }
    return status.getConditions().stream()
        .filter(c -> "Progressing".equals(c.getType()) && "False".equals(c.getStatus()))
        .filter(c -> "ProgressDeadlineExceeded".equals(c.getReason()))
        .map(c -> Objects.requireNonNullElse(c.getMessage(), "no progress within its deadline"))
        .findFirst()
        .orElse("");
  }

  static int partition(StatefulSet set) {
    return Optional.ofNullable(set.getSpec().getUpdateStrategy())
        .map(s -> s.getRollingUpdate())
        .map(r -> r.getPartition())
        .orElse(0);
  }

  /** The container that stands for the system: the one kubectl takes by default. */
  static String mainContainer(PodTemplateSpec template) {
    Map<String, String> annotations =
        template.getMetadata() == null || template.getMetadata().getAnnotations() == null
            ? Map.of()
            : template.getMetadata().getAnnotations();
    String first = template.getSpec().getContainers().getFirst().getName();
    return annotations.getOrDefault(DEFAULT_CONTAINER, first);
  }

  static Map<String, String> images(List<Container> initContainers, List<Container> containers) {
    var images = new HashMap<String, String>();
    Stream.concat(initContainers.stream(), containers.stream())
        .forEach(c -> images.put(c.getName(), Objects.requireNonNullElse(c.getImage(), "")));
    return images;
  }

  private static long number(@Nullable Long value) {
    return value == null ? 0 : value;
  }

  private static int orZero(@Nullable Integer value) {
    return value == null ? 0 : value;
  }
}
