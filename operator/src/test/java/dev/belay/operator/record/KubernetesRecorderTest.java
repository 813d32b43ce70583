package dev.belay.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.driver.WayBack;
import dev.belay.core.forecast.Outlook;
import dev.belay.core.loop.Loop.Recorded;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory;
import dev.belay.operator.wire.Listener;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The status is written on the condition that nobody wrote since: two operators that record at the
 * same time must not both believe that their step is in the record.
 */
class KubernetesRecorderTest {

  private static final Instant T = Instant.parse("2030-01-01T00:00:00Z");
  private static final String STATUS =
      "PUT /apis/belay.dev/v1alpha1/namespaces/ns/statefulclusters/db/status";

  private Listener server;
  private KubernetesClient client;

  @BeforeEach
  void listen() throws IOException {
    server = new Listener().saying(Serialization.asJson(cluster()));
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://" + Listener.HOST + ":" + server.port())
                    .build())
            .build();
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @Test
  void the_status_is_written_at_the_version_that_was_read() {
    assertThat(record()).isEqualTo(Recorded.WRITTEN);

    assertThat(server.heard()).as("one write, and no read before it").containsExactly(STATUS);
    JsonNode written =
        Serialization.unmarshal(server.told().getFirst().body(), JsonNode.class).path("metadata");
    assertThat(written.path("resourceVersion").asText()).isEqualTo("7");
    assertThat(written.path("uid").asText()).isEqualTo("cluster-uid");
  }

  @Test
  void a_conflict_is_told_and_not_written_over() {
    server.answering(409).saying("{\"kind\":\"Status\",\"message\":\"modified\",\"code\":409}");

    assertThat(record()).isEqualTo(Recorded.CONFLICT);
    assertThat(server.heard()).containsExactly(STATUS);
  }

  private Recorded record() {
    var report =
        new Report(
            Phase.IDLE,
            "1",
            "",
            List.of(),
            Optional.empty(),
            "",
            WayBack.unknown(""),
            List.of(),
            Memory.EMPTY);
    return new KubernetesRecorder(client).record(cluster(), report, Outlook.NONE, T);
  }

  private static StatefulCluster cluster() {
    return Serialization.unmarshal(
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: db, namespace: ns, uid: cluster-uid, generation: 1, resourceVersion: "7"}
        spec:
          components:
          - {name: db, workload: {name: db}, driver: {type: none}}
        """,
        StatefulCluster.class);
  }
}
