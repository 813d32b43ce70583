package dev.belay.sim;

import dev.belay.sim.CrashPlans.Plan;
import dev.belay.sim.CrashPlans.Reference;
import dev.belay.sim.operator.Seams;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The steps of many runs, one line per run: its name, the number of steps, and a hash of them. */
public final class StepSequences {

  private static final int DIGITS = 16;

  private StepSequences() {}

  /** In order of the seeds. */
  public static List<String> ofSeeds(long from, long seeds) {
    return LongStream.range(from, from + seeds)
        .parallel()
        .mapToObj(
            seed -> line("seed " + seed, Simulation.run(Scenario.of(seed), Seams.NONE).steps()))
        .toList();
  }

  /** All scenario files of a folder and of its folder {@code open}, in order of their names. */
  public static List<String> ofScenarios(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder, 2)) {
      files =
          all.filter(f -> f.toString().endsWith(".txt"))
              .sorted(Comparator.comparing(f -> name(folder, f)))
              .toList();
    }
    List<Scenario> scenarios = new ArrayList<>();
    for (Path file : files) {
      scenarios.add(ScenarioFile.read(file));
    }
    return LongStream.range(0, files.size())
        .parallel()
        .mapToObj(i ->
            line(
                "scenario " + name(folder, files.get((int) i)),
                Simulation.run(scenarios.get((int) i)).steps()))
        .toList();
  }

  private static String name(Path folder, Path file) {
    String path = folder.relativize(file).toString().replace('\\', '/');
    return path.substring(0, path.length() - ".txt".length());
  }

  /** Every n-th crash plan of every reference run. */
  public static List<String> ofCrashPlans(int every) {
    var lines = new ArrayList<String>();
    List<Reference> references = CrashPlans.references();
    for (int run = 1; run <= references.size(); run++) {
      String prefix = "crash " + run + " ";
      lines.addAll(
          CrashPlans.each(
              references.get(run - 1),
              every,
              told ->
                  line(
                      prefix + told.result().plan() + " " + told.result().moment(),
                      told.outcome().steps())));
    }
    return lines;
  }

  /**
   * All steps of one run.
   *
   * @param name the run as it stands at the beginning of its line
   */
  public static List<String> full(String name, Path folder) throws IOException {
    String[] words = name.strip().split("\\s+", -1);
    return lines(
        switch (words[0] + " " + words.length) {
          case "seed 2" -> Simulation.run(Scenario.of(Long.parseLong(words[1]))).steps();
          case "scenario 2" ->
              Simulation.run(ScenarioFile.read(folder.resolve(words[1] + ".txt"))).steps();
          case "crash 4" -> {
            Reference reference = CrashPlans.references().get(Integer.parseInt(words[1]) - 1);
            Plan plan = Plan.valueOf(words[2].toUpperCase(Locale.ROOT));
            yield CrashPlans.retell(reference, plan, Integer.parseInt(words[3])).outcome().steps();
          }
          default ->
              throw new IllegalArgumentException(
                  "no run is named \""
                      + name
                      + "\"; fix: \"seed N\", \"scenario NAME\" or \"crash RUN PLAN MOMENT\"");
        });
  }

  private static List<String> lines(List<StepLine> steps) {
    return steps.stream().map(StepLine::toString).toList();
  }

  private static String line(String run, List<StepLine> steps) {
    return run + "  " + steps.size() + "  " + hash(String.join("\n", lines(steps)));
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
