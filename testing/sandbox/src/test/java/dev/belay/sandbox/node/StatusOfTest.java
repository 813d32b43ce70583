package dev.belay.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.sandbox.node.ContainerState.Running;
import dev.belay.sandbox.node.ContainerState.Terminated;
import dev.belay.sandbox.node.ContainerState.Waiting;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class StatusOfTest {
  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
  private static final StatusOf.Place PLACE = new StatusOf.Place("127.9.20.1", "127.9.1.1", T0, 1);
  private static final ContainerReport FRESH =
      ContainerReport.fresh("c", "i:1", "ContainerCreating", 0);
  private static final ContainerReport UP = FRESH.attempt(0, "id").in(new Running(T0));

  private static Terminated exit(int code) {
    return new Terminated(code, code == 0 ? "Completed" : "Error", "", T0, T0, "id");
  }

  private static String phase(String policy, ContainerReport... mains) {
    return new StatusOf(PLACE, policy, List.of(), List.of(mains), Optional.empty()).phase();
  }

  @Test
  void phases_follow_the_containers() {
    assertThat(phase("Always", FRESH)).isEqualTo("Pending");
    assertThat(phase("Always", UP, FRESH)).isEqualTo("Pending");
    assertThat(phase("Always", UP)).isEqualTo("Running");
    assertThat(phase("Always", UP.in(exit(1)))).isEqualTo("Running");
    assertThat(phase("Always", UP.in(exit(1)).in(new Waiting("CrashLoopBackOff", ""))))
        .isEqualTo("Running");
    assertThat(phase("Never", UP.in(exit(0)))).isEqualTo("Succeeded");
    assertThat(phase("Never", UP.in(exit(0)), UP.in(exit(2)))).isEqualTo("Failed");
    assertThat(phase("Never", UP.in(exit(2)), UP)).isEqualTo("Running");
    assertThat(phase("OnFailure", UP.in(exit(2)))).isEqualTo("Running");
    assertThat(phase("OnFailure", UP.in(exit(0)))).isEqualTo("Succeeded");
  }

  @Test
  void a_container_that_runs_again_remembers_how_it_ended() {
    ContainerReport again = UP.in(exit(3)).attempt(1, "id2").in(new Running(T0));
    assertThat(again.last()).contains(exit(3));
    assertThat(again.restarts()).isEqualTo(1);
  }

  @Test
  void a_condition_keeps_its_time_until_it_changes() {
    Map<String, PodCondition> before = conditions(render(UP.started(true), Map.of(), T0));
    Instant later = T0.plusSeconds(60);
    Map<String, PodCondition> same = conditions(render(UP.started(true), before, later));
    assertThat(same.get("Ready").getLastTransitionTime()).isEqualTo("2026-01-01T00:00:00Z");
    Map<String, PodCondition> ready = conditions(render(UP.ready(true), before, later));
    assertThat(ready.get("Ready").getStatus()).isEqualTo("True");
    assertThat(ready.get("Ready").getLastTransitionTime()).isEqualTo("2026-01-01T00:01:00Z");
    assertThat(ready.get("Initialized").getLastTransitionTime()).isEqualTo("2026-01-01T00:00:00Z");
  }

  @Test
  void what_is_not_ready_is_named() {
    PodCondition ready = conditions(render(UP, Map.of(), T0)).get("Ready");
    assertThat(ready.getReason()).isEqualTo("ContainersNotReady");
    assertThat(ready.getMessage()).isEqualTo("containers with unready status: [c]");
  }

  @Test
  void a_refused_pod_is_pending_with_the_reason() {
    PodStatus status =
        new StatusOf(PLACE, "Always", List.of(), List.of(FRESH), Optional.of("no hostPath"))
            .render(Map.of(), T0);
    assertThat(status.getPhase()).isEqualTo("Pending");
    assertThat(status.getReason()).isEqualTo("Unsupported");
    assertThat(status.getMessage()).isEqualTo("no hostPath");
    assertThat(status.getPodIP()).isNull();
  }

  private static PodStatus render(
      ContainerReport main, Map<String, PodCondition> before, Instant now) {
    return new StatusOf(PLACE, "Always", List.of(), List.of(main), Optional.empty())
        .render(before, now);
  }

  private static Map<String, PodCondition> conditions(PodStatus status) {
    return status.getConditions().stream()
        .collect(Collectors.toMap(PodCondition::getType, condition -> condition));
  }
}
