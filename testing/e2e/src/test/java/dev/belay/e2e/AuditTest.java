package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditTest {

  private static final String CONTROLLER =
      "system:serviceaccount:kube-system:statefulset-controller";
  private static final String NODES = "sandbox-nodes";
  private static final String READY =
      ", \"requestObject\": {\"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}}";

  @TempDir private Path folder;
  private final List<String> lines = new ArrayList<>();

  @Test
  void a_pod_is_down_from_its_deletion_until_the_next_one_is_ready() throws IOException {
    asked("delete", "db-1", CONTROLLER, "");
    asked("patch", "db-1", NODES, READY);
    asked("delete", "db-1", NODES, "");
    asked("patch", "db-1", NODES, READY);
    asked("delete", "db-0", CONTROLLER, "");

    assertThat(audit().mostTakenDown("prod")).isEqualTo(1);
  }

  @Test
  void a_pod_that_still_runs_is_down_when_its_deletion_was_asked_for() throws IOException {
    asked("delete", "db-1", CONTROLLER, "");
    asked("patch", "db-1", NODES, READY);
    asked("delete", "db-0", CONTROLLER, "");

    assertThat(audit().mostTakenDown("prod")).isEqualTo(2);
  }

  @Test
  void a_pod_that_is_gone_is_down_until_the_next_one_is_ready() throws IOException {
    asked("delete", "db-1", CONTROLLER, "");
    asked("delete", "db-1", NODES, "");
    asked("delete", "db-0", CONTROLLER, "");

    assertThat(audit().mostTakenDown("prod")).isEqualTo(2);
  }

  @Test
  void a_request_that_was_not_authorized_is_no_use_of_a_right() throws IOException {
    asked(
        "list", "", "belay", ", \"annotations\": {\"authorization.k8s.io/decision\": \"forbid\"}");
    asked("get", "db-0", "belay", "");

    assertThat(audit().uses("belay", false)).containsExactly(new Audit.Use("", "pods", "list"));
    assertThat(audit().uses("belay", true)).containsExactly(new Audit.Use("", "pods", "get"));
  }

  private void asked(String verb, String pod, String user, String more) {
    lines.add(
        """
        {"verb": "%s", "user": {"username": "%s"}, "requestReceivedTimestamp": "2026-01-01T00:00:%02dZ",
         "objectRef": {"resource": "pods", "namespace": "prod", "name": "%s"},
         "responseStatus": {"code": 200}%s}
        """
            .formatted(verb, user, lines.size(), pod, more)
            .replace("\n", ""));
  }

  private Audit audit() throws IOException {
    return new Audit(Files.write(folder.resolve("audit.log"), lines));
  }
}
