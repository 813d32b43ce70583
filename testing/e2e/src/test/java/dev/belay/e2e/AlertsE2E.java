package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.demo.Repository;
import dev.belay.sandbox.Binaries;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alerts as Prometheus itself reads them: when they call, and when they do not. */
class AlertsE2E {

  @TempDir private Path folder;

  /** What is under spec of the PrometheusRule is what a rules file holds. */
  @BeforeEach
  void rules() throws IOException {
    String manifest = Files.readString(Repository.find().file("deploy/prometheus-rules.yaml"));
    JsonNode groups = Serialization.unmarshal(manifest, JsonNode.class).at("/spec/groups");
    assertThat(groups.isArray()).isTrue();
    Files.writeString(folder.resolve("rules.yaml"), Serialization.asYaml(Map.of("groups", groups)));
    try (InputStream cases = AlertsE2E.class.getResourceAsStream("alerts.yaml")) {
      Files.write(folder.resolve("alerts.yaml"), Objects.requireNonNull(cases).readAllBytes());
    }
  }

  @Test
  void the_rules_are_rules() throws Exception {
    assertThat(promtool("check", "rules", "--lint-fatal", "rules.yaml"))
        .contains("SUCCESS: 8 rules found");
  }

  @Test
  void a_stuck_roll_out_is_called_and_a_moving_one_is_not() throws Exception {
    assertThat(promtool("test", "rules", "alerts.yaml")).contains("SUCCESS");
  }

  private String promtool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program().toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  private static Path program() throws IOException {
    try (Stream<Path> cached = Files.list(Binaries.cache())) {
      return cached
          .filter(p -> p.getFileName().toString().startsWith("promtool-"))
          .map(p -> p.resolve("promtool"))
          .filter(Files::isExecutable)
          .findFirst()
          .orElseThrow(() ->
              new AssertionError(
                  "there is no promtool in "
                      + Binaries.cache()
                      + "; cure: testing/sandbox/binaries/get promtool"));
    }
  }
}
