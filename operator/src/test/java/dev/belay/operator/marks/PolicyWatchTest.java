package dev.belay.operator.marks;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.Test;

class PolicyWatchTest {

  /** As on Kubernetes older than 1.36: the operator must start without these kinds. */
  @Test
  void an_api_server_that_does_not_tell_of_the_policies_is_no_error() {
    var config =
        new ConfigBuilder()
            .withMasterUrl("http://127.0.0.1:1")
            .withRequestRetryBackoffLimit(0)
            .withConnectionTimeout(200)
            .build();
    try (var client = new KubernetesClientBuilder().withConfig(config).build()) {
      assertThatCode(() -> new PolicyWatch(client, () -> {}).close()).doesNotThrowAnyException();
    }
  }
}
