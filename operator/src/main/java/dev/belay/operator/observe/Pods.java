package dev.belay.operator.observe;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Pod.Readiness;
import dev.belay.core.model.Pod.Trouble;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the pods of a workload as core wants to see them. */
record Pods(Live workload, Crew crew, Instant now) {

  private static final String HOLD = "belay.dev/hold";
  private static final int NO_ORDINAL = -1;

  /** Waiting reasons that do not pass by themselves while the template stays as it is. */
  private static final Set<String> TROUBLES =
      Set.of(
          "ErrImagePull",
          "ImagePullBackOff",
          "InvalidImageName",
          "CrashLoopBackOff",
          "CreateContainerConfigError",
          "CreateContainerError",
          "RunContainerError");

  Pod pod(io.fabric8.kubernetes.api.model.Pod pod, Fact<Optional<String>> leaving) {
    var meta = pod.getMetadata();
    return new Pod(
        meta.getName(),
        meta.getUid(),
        meta.getResourceVersion(),
        ordinal(meta.getName()),
        crew.revision(pod),
        readiness(pod),
        meta.getDeletionTimestamp() != null,
        trouble(pod),
        Instant.parse(meta.getCreationTimestamp()),
        Workloads.images(pod.getSpec().getInitContainers(), pod.getSpec().getContainers()),
        hosts(pod),
        leaving,
        "true".equals(annotations(pod).get(HOLD)));
  }

  private static Map<String, String> annotations(io.fabric8.kubernetes.api.model.Pod pod) {
    return Objects.requireNonNullElse(pod.getMetadata().getAnnotations(), Map.of());
  }

  /** Ordinals are numbers: etcd-10 comes after etcd-9. The pods of a Deployment have none. */
  private int ordinal(String name) {
    return workload instanceof Live.Set
        ? Integer.parseInt(name.substring(name.lastIndexOf('-') + 1))
        : NO_ORDINAL;
  }

  static Map<String, String> labels(io.fabric8.kubernetes.api.model.Pod pod) {
    return Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.of());
  }

  private Readiness readiness(io.fabric8.kubernetes.api.model.Pod pod) {
    Optional<PodCondition> ready =
        condition(pod, "Ready").filter(c -> "True".equals(c.getStatus()));
    if (ready.isEmpty()) {
      return Readiness.UNREADY;
    }
    int wanted = workload.minReadySeconds();
    String since = ready.get().getLastTransitionTime();
    if (wanted == 0 || since == null) {
      return Readiness.AVAILABLE;
    }
    boolean longEnough = !Instant.parse(since).plusSeconds(wanted).isAfter(now);
    return longEnough ? Readiness.AVAILABLE : Readiness.READY;
  }

  private static Optional<PodCondition> condition(
      io.fabric8.kubernetes.api.model.Pod pod, String type) {
    if (pod.getStatus() == null) {
      return Optional.empty();
    }
    return pod.getStatus().getConditions().stream()
        .filter(c -> type.equals(c.getType()))
        .findFirst();
  }

  private Optional<Trouble> trouble(io.fabric8.kubernetes.api.model.Pod pod) {
    if (pod.getStatus() == null) {
      return Optional.empty();
    }
    Optional<Trouble> unschedulable =
        condition(pod, "PodScheduled")
            .filter(c -> "False".equals(c.getStatus()) && "Unschedulable".equals(c.getReason()))
            .map(c -> new Trouble("Unschedulable", text(c.getMessage())));
    return unschedulable.or(() -> waiting(pod));
  }

  private Optional<Trouble> waiting(io.fabric8.kubernetes.api.model.Pod pod) {
    Stream<ContainerStatus> statuses =
        Stream.concat(
            pod.getStatus().getInitContainerStatuses().stream(),
            pod.getStatus().getContainerStatuses().stream());
    return statuses
        .filter(s -> s.getState() != null && s.getState().getWaiting() != null)
        .filter(s -> TROUBLES.contains(text(s.getState().getWaiting().getReason())))
        .map(s ->
            new Trouble(
                s.getState().getWaiting().getReason(),
                s.getName() + ": " + text(s.getState().getWaiting().getMessage()),
                !memberRuns(pod),
                memberRan(pod)))
        .findFirst();
  }

  private boolean memberRan(io.fabric8.kubernetes.api.model.Pod pod) {
    String main = Workloads.mainContainer(workload.template());
    return memberRuns(pod)
        || pod.getStatus().getContainerStatuses().stream()
            .filter(s -> main.equals(s.getName()))
            .anyMatch(s ->
                (s.getRestartCount() != null && s.getRestartCount() > 0)
                    || (s.getLastState() != null && s.getLastState().getTerminated() != null));
  }

  private boolean memberRuns(io.fabric8.kubernetes.api.model.Pod pod) {
    String main = Workloads.mainContainer(workload.template());
    return pod.getStatus().getContainerStatuses().stream()
        .anyMatch(s ->
            main.equals(s.getName()) && s.getState() != null && s.getState().getRunning() != null);
  }

  /** Every name and address by which the system may know the member in this pod. */
  private List<String> hosts(io.fabric8.kubernetes.api.model.Pod pod) {
    var hosts = new ArrayList<String>();
    if (pod.getStatus() != null && pod.getStatus().getPodIP() != null) {
      hosts.add(pod.getStatus().getPodIP());
    }
    hosts.add(pod.getMetadata().getName());
    Seats.name(workload, pod)
        .ifPresent(name -> {
          String namespace = pod.getMetadata().getNamespace();
          hosts.add(name);
          hosts.add(name + "." + namespace);
          hosts.add(name + "." + namespace + ".svc");
          hosts.add(name + "." + namespace + ".svc.cluster.local");
        });
    return hosts;
  }

  private static String text(@Nullable String text) {
    return text == null ? "" : text;
  }
}
