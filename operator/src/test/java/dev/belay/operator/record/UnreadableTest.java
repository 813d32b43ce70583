package dev.belay.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is said in the status of a StatefulCluster that cannot be read. */
class UnreadableTest {

  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00.5Z");
  private static final String WHY = "status.history.outcome: \"Odd\" is none of [Completed]";

  private static StatefulCluster cluster(String status) {
    return Serialization.unmarshal(
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: app, namespace: db, generation: 4, resourceVersion: "7"}
        spec:
          components:
          - {name: app, workload: {name: app}, driver: {type: none}}
        """
            + status,
        StatefulCluster.class);
  }

  private static StatefulClusterStatus said(Map<String, Object> patch) {
    return Serialization.unmarshal(
        Serialization.asJson(patch.get("status")), StatefulClusterStatus.class);
  }

  @Test
  void the_error_is_said_and_other_conditions_stay() {
    Map<String, Object> patch =
        Unreadable.patch(
                cluster(
                    """
                    status:
                      owner: {install: belay, instance: one}
                      conditions:
                      - {type: Ready, status: "True", reason: EveryGroupServes}
                      - {type: Error, status: "False", reason: NoError}
                    """),
                "belay",
                WHY,
                NOW)
            .orElseThrow();

    assertThat(patch.get("metadata")).isEqualTo(Map.of("resourceVersion", "7"));
    StatefulClusterStatus status = said(patch);
    assertThat(status.phase()).isEqualTo("Failed");
    assertThat(status.observedGeneration()).isEqualTo(4);
    assertThat(status.conditions())
        .extracting(c -> c.getType() + "=" + c.getStatus() + " " + c.getReason())
        .containsExactly(
            "Ready=True EveryGroupServes",
            "Error=True InvalidSpec",
            "Reconciling=False InvalidSpec",
            "Stalled=True InvalidSpec");
    assertThat(status.conditions().get(1).getMessage()).isEqualTo(WHY);
  }

  @Test
  void what_is_said_already_is_not_written_again() {
    StatefulCluster told = cluster("");
    told.setStatus(said(Unreadable.patch(told, "belay", WHY, NOW).orElseThrow()));

    assertThat(Unreadable.patch(told, "belay", WHY, NOW.plusSeconds(60))).isEmpty();
    assertThat(Unreadable.patch(told, "belay", "something else", NOW)).isPresent();
  }

  @Test
  void another_operators_cluster_is_left_to_it() {
    Optional<Map<String, Object>> patch =
        Unreadable.patch(
            cluster("status: {owner: {install: canary, instance: one}}"), "belay", WHY, NOW);

    assertThat(patch).isEmpty();
  }
}
