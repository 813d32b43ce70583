package dev.belay.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real control plane alone. */
class ControlPlaneIT {
  @TempDir static Path dir;
  private static ControlPlane plane;

  @BeforeAll
  static void start() {
    Instant before = Instant.now();
    plane = ControlPlane.start(dir);
    Duration took = Duration.between(before, Instant.now());
    System.out.println("control plane ready after " + took.toMillis() + " ms");
  }

  @AfterAll
  static void stop() {
    plane.close();
  }

  @Test
  void the_admin_kubeconfig_is_private_and_verifies_the_server() throws Exception {
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(plane.adminKubeconfig())))
        .isEqualTo("rw-------");
    assertThat(Files.readString(plane.adminKubeconfig()))
        .contains("certificate-authority-data")
        .doesNotContain("insecure");
    assertThat(plane.client().getKubernetesVersion().getMinor()).isEqualTo("36");
  }

  @Test
  void a_service_account_has_a_real_token_and_no_rights_of_its_own() {
    Path file = plane.kubeconfigFor("default", "default");
    try (KubernetesClient account = ControlPlane.client(file)) {
      assertThatThrownBy(() -> account.configMaps().inNamespace("default").list())
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("system:serviceaccount:default:default")
          .hasMessageContaining("forbidden");
    }
  }

  @Test
  void an_unknown_service_account_is_named() {
    assertThatThrownBy(() -> plane.kubeconfigFor("default", "nobody"))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining("default/nobody")
        .hasMessageContaining("create the account first");
  }

  @Test
  void a_write_is_in_the_audit_log_with_its_body_and_its_author() throws Exception {
    try (KubernetesClient alice =
        ControlPlane.client(plane.kubeconfigForUser("alice", "system:masters"))) {
      alice
          .configMaps()
          .inNamespace("default")
          .resource(
              new ConfigMapBuilder()
                  .withNewMetadata()
                  .withName("noted")
                  .endMetadata()
                  .addToData("word", "carabiner")
                  .build())
          .create();
    }
    assertThat(Files.readAllLines(plane.auditLog()))
        .anySatisfy(line ->
            assertThat(line)
                .contains("\"verb\":\"create\"", "\"username\":\"alice\"", "carabiner"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_restarted_api_server_has_the_same_address_and_the_same_objects(boolean killed) {
    var before = plane.client().namespaces().withName("default").require();
    plane.restartApiServer(killed);
    var after = plane.client().namespaces().withName("default").require();
    assertThat(after.getMetadata().getUid()).isEqualTo(before.getMetadata().getUid());
  }

  @Test
  void two_control_planes_never_share_a_folder() {
    assertThatThrownBy(() -> ControlPlane.start(dir))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining("in use by another sandbox");
  }
}
