package dev.belay.sim.differential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.sandbox.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same scripts in the simulator and on the real control plane: the same things happen in the
 * same order, and both come to rest alike. So the simulator cannot drift into wishful thinking.
 */
class DifferentialE2E {

  @TempDir static Path dir;
  private static Sandbox sandbox;
  private static ExecutorService players;
  private static final Map<String, Future<List<Stage>>> PLAYED = new TreeMap<>();

  /** All at once: each has its own namespace and mostly waits. */
  @BeforeAll
  static void start() throws IOException {
    Path images = Files.createDirectory(dir.resolve("images"));
    for (String tag : List.of(Script.FIRST, Script.NEXT, Script.LATER)) {
      image(images, tag, "exec sleep 1000000", "exit 0");
    }
    image(images, Script.CRASHES, "exit 1", "exit 1");
    image(images, Script.HANGS, "exec sleep 1000000", "exit 1");
    sandbox =
        Sandbox.start(
            Sandbox.Options.in(dir.resolve("sandbox"))
                .withImages(images)
                .withBackoff(Duration.ofSeconds(1)));
    players = Executors.newVirtualThreadPerTaskExecutor();
    for (Script script : Scripts.all()) {
      List<Stage> expected = Simulated.play(script, 1);
      PLAYED.put(
          script.name(), players.submit(() -> Real.play(sandbox.client(), script, expected)));
    }
  }

  private static void image(Path images, String tag, String program, String ready)
      throws IOException {
    Path folder = Files.createDirectories(images.resolve("db").resolve(tag));
    for (var file : Map.of("entrypoint", program, "ready", ready).entrySet()) {
      Path path = folder.resolve(file.getKey());
      Files.writeString(path, "#!/bin/sh\n" + file.getValue() + "\n");
      assertThat(path.toFile().setExecutable(true)).isTrue();
    }
  }

  @AfterAll
  static void stop() {
    players.shutdownNow();
    sandbox.close();
  }

  static List<Script> scripts() {
    return Scripts.all();
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void the_simulator_does_what_kubernetes_does(Script script) throws Exception {
    List<Stage> real = PLAYED.get(script.name()).get();

    assertThat(Stage.words(Simulated.play(script, 1))).isEqualTo(Stage.words(real));
  }
}
