package dev.belay.api.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.sandbox.Binaries;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A real helm of either major version, with this repository's chart. */
enum Helm {
  THREE("helm-3.", "helm"),
  FOUR("helm-4.", "helm-4");

  /** How a call ended. */
  record Answer(int exit, String said) {

    /** The objects of a rendered chart. */
    List<GenericKubernetesResource> objects() {
      return Helm.objects(said);
    }
  }

  static final Path CHART = Path.of("../charts/belay");
  static final String REPOSITORY = "image.repository=registry.example.com/belay-operator";

  /** A helm that is built here does not know the version that its authors set for a release. */
  private static final String KUBERNETES = "--kube-version=1.36.3";

  private final String folder;
  private final String name;

  Helm(String folder, String name) {
    this.folder = folder;
    this.name = name;
  }

  Answer lint(String... arguments) {
    return run(List.of("lint", CHART.toString(), KUBERNETES), arguments);
  }

  /** Without a cluster; fails when helm does. */
  List<GenericKubernetesResource> render(String release, String... arguments) {
    List<String> all = new ArrayList<>(List.of("--set=" + REPOSITORY));
    all.addAll(List.of(arguments));
    Answer answer = template(release, all.toArray(String[]::new));
    assertThat(answer.exit()).as(answer.said()).isZero();
    return answer.objects();
  }

  Answer template(String release, String... arguments) {
    return run(List.of("template", release, CHART.toString(), KUBERNETES), arguments);
  }

  Answer run(List<String> command, String... arguments) {
    try {
      List<String> all = new ArrayList<>(List.of(program().toString()));
      all.addAll(command);
      all.addAll(List.of(arguments));
      var builder = new ProcessBuilder(all).redirectErrorStream(true);
      Path home = Path.of("target/helm-home").toAbsolutePath();
      for (String variable : List.of("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")) {
        builder.environment().put(variable, home.toString());
      }
      Process process = builder.start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Answer(process.waitFor(), said);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static List<GenericKubernetesResource> objects(String manifest) {
    return Stream.of(manifest.split("(?m)^---$", -1))
        .filter(document -> document.lines().anyMatch(line -> line.startsWith("kind:")))
        .map(document -> Serialization.unmarshal(document, GenericKubernetesResource.class))
        .toList();
  }

  private Path program() throws IOException {
    try (Stream<Path> cached = Files.list(Binaries.cache())) {
      return cached
          .filter(p -> p.getFileName().toString().startsWith(folder))
          .map(p -> p.resolve("helm"))
          .filter(Files::isExecutable)
          .findFirst()
          .orElseThrow(() ->
              new AssertionError(
                  "%s is not in %s; fix: testing/sandbox/binaries/get %s"
                      .formatted(folder + "*", Binaries.cache(), name)));
    }
  }
}
