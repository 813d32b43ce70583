package dev.belay.sim;

import dev.belay.sim.operator.Seams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A run that breaks a promise, shortened and saved where nothing else is, so that it can be shown.
 *
 * @param whole whether nothing more can be left out of it
 */
public record Find(Outcome outcome, Path file, boolean whole) {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  public static Find of(Outcome failing, Seams seams) throws IOException {
    var shrinker = new Shrinker(seams, PATIENCE);
    Outcome shrunk = shrinker.shrink(failing);
    Path folder = Path.of(System.getProperty("java.io.tmpdir"), "belay-sim");
    Files.createDirectories(folder);
    Path file = folder.resolve("seed-" + failing.scenario().seed() + ".txt");
    String about = "breaks " + shrunk.violation().orElseThrow().words();
    Files.writeString(file, ScenarioFile.write(shrunk.scenario(), about));
    return new Find(shrunk, file, !shrinker.gaveUp());
  }

  public String replay() {
    return replay(file);
  }

  /** The command that runs a saved scenario. */
  static String replay(Path file) {
    return "bin/belay-sim run --scenario " + file + " --trace";
  }

  public String story() {
    String as =
        "shortened to %d faults%s; the whole run: bin/belay-sim run --seed %d --trace%n"
            .formatted(
                outcome.scenario().faults().size(),
                whole ? "" : ", not as far as possible: the time was up",
                outcome.scenario().seed());
    return as + outcome.story(replay());
  }
}
