package dev.belay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.bench.AuditLog.Event;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AuditLogTest {

  private static Event event(String verb, String resource, String query) {
    return new KubernetesSerialization()
        .unmarshal(
            """
            {"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request",
             "stage":"ResponseComplete","verb":"%s",
             "requestURI":"/apis/apps/v1/namespaces/one/%2$s/db%3$s",
             "objectRef":{"resource":"%2$s","namespace":"one","name":"db","apiGroup":"apps"},
             "requestObject":{"spec":{}},
             "requestReceivedTimestamp":"2026-01-01T00:00:01.000250Z",
             "stageTimestamp":"2026-01-01T00:00:01.004750Z"}
            """
                .formatted(verb, resource, query),
            Event.class);
  }

  @Test
  void takes_the_time_from_the_request_to_the_end_of_the_response() {
    assertThat(event("patch", "statefulsets", "").time()).isEqualTo(Duration.ofNanos(4_500_000));
  }

  @Test
  void takes_writes_of_sets_only() {
    assertThat(event("patch", "statefulsets", "").writesSet()).isTrue();
    assertThat(event("update", "statefulsets", "").writesSet()).isTrue();
    assertThat(event("patch", "statefulsets", "?dryRun=All").writesSet()).isFalse();
    assertThat(event("create", "statefulsets", "").writesSet()).isFalse();
    assertThat(event("patch", "deployments", "").writesSet()).isFalse();
  }

  @Test
  void passes_by_requests_without_an_object() {
    Event event =
        new KubernetesSerialization()
            .unmarshal("{\"verb\":\"get\",\"requestURI\":\"/readyz\"}", Event.class);
    assertThat(event.writesSet()).isFalse();
  }
}
