package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.core.guard.Guard.Claim;
import dev.belay.core.guard.Guard.Named;
import dev.belay.core.guard.Mark;
import dev.belay.core.model.Workload.Kind;
import dev.belay.sandbox.Binaries;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real helm with a chart that holds partition 0 or paused false; ChartsIT has its requests. */
class HelmE2E {

  @BeforeAll
  static void guarded() {
    Plane.installed();
    World.accounts();
    World.guarded("helm");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void every_release_and_every_rollback_is_stored_frozen_and_marked(Kind kind, @TempDir Path folder)
      throws Exception {
    String namespace = "helm-" + kind.toString().toLowerCase(Locale.ROOT);
    World.namespace(namespace);
    Files.writeString(folder.resolve("Chart.yaml"), "{apiVersion: v2, name: db, version: 1.0.0}");
    Path manifest = Files.createDirectory(folder.resolve("templates")).resolve("db.yaml");
    Shape rest = Shape.of(kind == Kind.DEPLOYMENT ? "A/rolls" : "A/0");
    Files.writeString(
        manifest,
        Sets.manifest(namespace, rest.marked(Mark.NONE), "")
            .replace("db:A", "db:{{ .Values.version }}"));

    helm(folder, namespace, "install", "db", ".", "--set=version=A");
    mark(namespace, rest);
    helm(folder, namespace, "upgrade", "db", ".", "--set=version=B");
    assertThat(World.live(namespace, kind)).isEqualTo(frozen(kind, "B"));
    helm(folder, namespace, "upgrade", "db", ".", "--set=version=B");
    assertThat(World.live(namespace, kind)).isEqualTo(frozen(kind, "B"));

    Shape midway = marked(kind == Kind.DEPLOYMENT ? "B/rolls" : "B/2");
    World.patch(namespace, step(frozen(kind, "B"), midway), "belay");
    helm(folder, namespace, "upgrade", "db", ".", "--set=version=B");
    assertThat(World.live(namespace, kind)).isEqualTo(midway);
    helm(folder, namespace, "upgrade", "db", ".", "--set=version=C");
    assertThat(World.live(namespace, kind)).isEqualTo(frozen(kind, "C"));
    helm(folder, namespace, "rollback", "db", "1");
    assertThat(World.live(namespace, kind)).isEqualTo(frozen(kind, "A"));
    helm(folder, namespace, "upgrade", "db", ".", "--set=version=D", "--force");
    assertThat(World.live(namespace, kind)).isEqualTo(frozen(kind, "D"));
  }

  private static void mark(String namespace, Shape rest) {
    var names = List.of(new Named(rest.kind(), GuardCase.SET));
    World.claim(new Claim(namespace, "one", names, Optional.of(GuardCase.OWNER), false), false);
    Shape marked = rest.marked(frozen(rest.kind(), "A").mark().orElseThrow());
    World.mark(namespace, step(marked, marked));
  }

  private static GuardCase step(Shape from, Shape to) {
    return new GuardCase(
        "step", "owned", Optional.of(from), "owner", "merge", "", to, Optional.of(to));
  }

  private static Shape frozen(Kind kind, String template) {
    return marked(template + (kind == Kind.DEPLOYMENT ? "/paused" : "/frozen"));
  }

  private static Shape marked(String shape) {
    return Shape.of(shape + " @one=1:owner");
  }

  private static void helm(Path folder, String namespace, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(program().toString()));
    command.addAll(List.of(arguments));
    command.add("--namespace=" + namespace);
    command.add("--kubeconfig=" + World.kubeconfig("dev"));
    var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    for (String home : List.of("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")) {
      builder.environment().put(home, folder.resolve("home").toString());
    }
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
  }

  private static Path program() throws IOException {
    try (Stream<Path> cached = Files.list(Binaries.cache())) {
      return cached
          .filter(p -> p.getFileName().toString().startsWith("helm-3."))
          .map(p -> p.resolve("helm"))
          .filter(Files::isExecutable)
          .findFirst()
          .orElseThrow(() ->
              new AssertionError(
                  "there is no helm in "
                      + Binaries.cache()
                      + "; fix: testing/sandbox/binaries/get helm"));
    }
  }
}
