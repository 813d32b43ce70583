package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.decide.Planner;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeterminismTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 7, 42, 1234, 99_999})
  void the_same_seed_gives_the_same_run(long seed) {
    Outcome once = Simulation.run(Scenario.of(seed));
    Outcome again = Simulation.run(Scenario.of(seed));

    assertThat(again.trace()).isEqualTo(once.trace());
    assertThat(again.hash()).isEqualTo(once.hash());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 7, 42})
  void another_seed_gives_another_run(long seed) {
    assertThat(Simulation.run(Scenario.of(seed)).hash())
        .isNotEqualTo(Simulation.run(Scenario.of(seed + 1)).hash());
  }

  /** Hash orders are salted anew in each process, and texts may depend on where it runs. */
  @Test
  void another_process_in_another_country_gives_the_same_runs() throws IOException {
    Process elsewhere =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Duser.language=fa",
                "-Duser.country=IR",
                "-Duser.timezone=Asia/Tehran",
                "-Dfile.encoding=ISO-8859-1",
                "-cp",
                classPath(),
                Hashes.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> here = Hashes.ofTwoComponents();
    try (var answer = elsewhere.getInputStream()) {
      String told = new String(answer.readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(told.lines()).containsExactlyElementsOf(here);
    }
  }

  /** What a run needs, and nothing of what a test needs. */
  private static String classPath() {
    return Stream.of(Hashes.class, Simulation.class, Planner.class)
        .map(c -> c.getProtectionDomain().getCodeSource())
        .map(CodeSource::getLocation)
        .map(l -> Path.of(java.net.URI.create(l.toString())).toString())
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }
}
