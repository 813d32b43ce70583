package dev.belay.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.decide.Planner;
import dev.belay.sim.operator.Seams;
import dev.belay.sim.world.Fault;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/**
 * Seeds in the real loop, fresh ones for every state of the code and the same for the same code:
 * what passes before a change is handed in passes after it. BELAY_SIM_SEEDS and BELAY_SIM_FROM
 * choose others.
 */
class SeedsTest {

  @Test
  void no_seed_breaks_a_promise() throws IOException, URISyntaxException {
    long seeds = Long.parseLong(System.getenv().getOrDefault("BELAY_SIM_SEEDS", "2000"));
    String fresh = Long.toString(hash(Planner.class, Simulation.class));
    long from = Long.parseLong(System.getenv().getOrDefault("BELAY_SIM_FROM", fresh));
    String which = seeds + " seeds from " + from + "; the same ones: BELAY_SIM_FROM=" + from;
    System.out.println(which);

    Sweep sweep = Sweep.of(from, seeds, Seams.NONE);

    System.out.println(sweep.table());
    System.out.println(sweep.pace());
    System.out.println(which);
    assertThat(sweep.failures()).as(which + "\n" + sweep.finds(Seams.NONE)).isEmpty();
    assertThat(sweep.counts().keySet())
        .as("every kind of fault has happened")
        .containsExactlyInAnyOrder(Fault.values());
    assertThat(sweep.rollouts()).isGreaterThan(seeds / 2);
  }

  /** Of all that is compiled together with these. */
  private static long hash(Class<?>... types) throws IOException, URISyntaxException {
    var hash = new CRC32();
    for (Class<?> type : types) {
      Path where = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(where)) {
        update(hash, where);
      } else {
        try (var jar = FileSystems.newFileSystem(where)) {
          update(hash, jar.getPath("/"));
        }
      }
    }
    return hash.getValue();
  }

  private static void update(CRC32 hash, Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> classes =
          files
              .filter(f -> f.toString().endsWith(".class"))
              .sorted((a, b) ->
                  folder.relativize(a).toString().compareTo(folder.relativize(b).toString()))
              .toList();
      for (Path file : classes) {
        hash.update(Files.readAllBytes(file));
      }
    }
  }
}
