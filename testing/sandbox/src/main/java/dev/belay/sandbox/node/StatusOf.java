package dev.belay.sandbox.node;

import dev.belay.sandbox.node.ContainerState.Running;
import dev.belay.sandbox.node.ContainerState.Terminated;
import dev.belay.sandbox.node.ContainerState.Waiting;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.HostIP;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The status of a pod, as a kubelet would write it, from what is known of its containers. */
record StatusOf(
    Place place,
    String restartPolicy,
    List<ContainerReport> inits,
    List<ContainerReport> mains,
    Optional<String> refusal) {

  /** Where and since when the pod lives. */
  record Place(String podIp, String hostIp, Instant since, long generation) {}

  String phase() {
    if (refusal.isPresent()) {
      return "Pending";
    }
    if (inits.stream().anyMatch(init -> failedForGood(init))) {
      return "Failed";
    }
    if (!initialized() || mains.stream().anyMatch(StatusOf::neverStarted)) {
      return "Pending";
    }
    boolean allEnded = mains.stream().allMatch(main -> main.state() instanceof Terminated);
    boolean someFailed = mains.stream().anyMatch(StatusOf::failed);
    if (!allEnded || restartPolicy.equals("Always")) {
      return "Running";
    }
    if (!someFailed) {
      return "Succeeded";
    }
    return restartPolicy.equals("Never") ? "Failed" : "Running";
  }

  /** What the API server is told; conditions that did not change keep their transition time. */
  PodStatus render(Map<String, PodCondition> before, Instant now) {
    String phase = phase();
    boolean over = phase.equals("Succeeded") || phase.equals("Failed");
    List<String> unready =
        mains.stream().filter(main -> !main.ready()).map(ContainerReport::name).toList();
    List<String> uninitialized =
        inits.stream().filter(i -> !succeeded(i)).map(ContainerReport::name).toList();
    List<PodCondition> conditions = new ArrayList<>();
    conditions.add(condition("PodScheduled", true, "", ""));
    conditions.add(
        uninitialized.isEmpty()
            ? condition("Initialized", true, over ? "PodCompleted" : "", "")
            : condition(
                "Initialized",
                false,
                "ContainersNotInitialized",
                "containers with incomplete status: " + uninitialized));
    for (String type : List.of("ContainersReady", "Ready")) {
      String reason = over ? "PodCompleted" : "ContainersNotReady";
      boolean ready = unready.isEmpty() && !over && refusal.isEmpty();
      conditions.add(
          ready
              ? condition(type, true, "", "")
              : condition(
                  type, false, reason, over ? "" : "containers with unready status: " + unready));
    }
    PodStatusBuilder status =
        new PodStatusBuilder()
            .withObservedGeneration(place.generation())
            .withPhase(phase)
            .withHostIP(place.hostIp())
            .withHostIPs(new HostIP(place.hostIp()))
            .withStartTime(time(place.since()))
            .withConditions(
                conditions.stream().map(c -> dated(c, before.get(c.getType()), now)).toList())
            .withInitContainerStatuses(inits.stream().map(StatusOf::container).toList())
            .withContainerStatuses(mains.stream().map(StatusOf::container).toList());
    if (refusal.isEmpty()) {
      status.withPodIP(place.podIp()).withPodIPs(new PodIP(place.podIp()));
    }
    refusal.ifPresent(why -> status.withReason("Unsupported").withMessage(why));
    return status.build();
  }

  boolean ready() {
    return refusal.isEmpty() && mains.stream().allMatch(ContainerReport::ready);
  }

  private boolean initialized() {
    return inits.stream().allMatch(StatusOf::succeeded);
  }

  private boolean failedForGood(ContainerReport init) {
    return restartPolicy.equals("Never") && failed(init);
  }

  private static boolean neverStarted(ContainerReport report) {
    return report.state() instanceof Waiting && report.last().isEmpty() && report.restarts() == 0;
  }

  private static boolean failed(ContainerReport report) {
    return report.state() instanceof Terminated ended && ended.failed();
  }

  private static boolean succeeded(ContainerReport report) {
    return report.state() instanceof Terminated ended && !ended.failed();
  }

  private static ContainerStatus container(ContainerReport report) {
    boolean running = report.state() instanceof Running;
    ContainerStatusBuilder status =
        new ContainerStatusBuilder()
            .withName(report.name())
            .withImage(report.image())
            .withImageID(report.id().isEmpty() ? "" : "sandbox://" + report.image())
            .withContainerID(report.id().isEmpty() ? null : report.id())
            .withRestartCount(report.restarts())
            .withStarted(running && report.started())
            .withReady(report.ready());
    switch (report.state()) {
      case Waiting waiting ->
          status
              .withNewState()
              .withNewWaiting(
                  waiting.message().isEmpty() ? null : waiting.message(), waiting.reason())
              .endState();
      case Running since -> status.withNewState().withNewRunning(time(since.since())).endState();
      case Terminated ended -> status.withNewState().withTerminated(terminated(ended)).endState();
    }
    report
        .last()
        .ifPresent(
            ended -> status.withNewLastState().withTerminated(terminated(ended)).endLastState());
    return status.build();
  }

  private static ContainerStateTerminated terminated(Terminated ended) {
    return new ContainerStateTerminatedBuilder()
        .withContainerID(ended.id())
        .withExitCode(ended.exitCode())
        .withReason(ended.reason())
        .withMessage(ended.message().isEmpty() ? null : ended.message())
        .withStartedAt(time(ended.started()))
        .withFinishedAt(time(ended.finished()))
        .build();
  }

  private static PodCondition condition(String type, boolean yes, String reason, String message) {
    return new PodConditionBuilder()
        .withType(type)
        .withStatus(yes ? "True" : "False")
        .withReason(reason.isEmpty() ? null : reason)
        .withMessage(message.isEmpty() ? null : message)
        .build();
  }

  private static PodCondition dated(
      PodCondition condition, @Nullable PodCondition before, Instant now) {
    boolean same = before != null && before.getStatus().equals(condition.getStatus());
    return new PodConditionBuilder(condition)
        .withLastTransitionTime(same && before != null ? before.getLastTransitionTime() : time(now))
        .build();
  }

  static String time(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
