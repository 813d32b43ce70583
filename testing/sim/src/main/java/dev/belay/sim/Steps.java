package dev.belay.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Writes down which steps Belay takes, to compare two versions of the code. */
@Command(
    name = "steps",
    description = "Writes one line per run: its name, its number of steps, a hash of the steps.")
final class Steps implements Callable<Integer> {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(names = "--seeds", defaultValue = "0", description = "How many seeds.")
  long seeds;

  @Option(names = "--from", defaultValue = "1", description = "The first seed.")
  long from;

  @Option(
      names = "--scenarios",
      arity = "0..1",
      fallbackValue = "testing/sim/scenarios",
      description = "All scenarios of this folder and its folder open (${FALLBACK-VALUE}).")
  Optional<Path> scenarios = Optional.empty();

  @Option(
      names = "--crash-plans",
      arity = "0..1",
      fallbackValue = "1",
      description = "Every n-th crash plan; without a number: all.")
  Optional<Integer> crashPlans = Optional.empty();

  @Option(
      names = "--full",
      description = "All steps of one run, named as in its line, e.g. \"seed 12\".")
  Optional<String> full = Optional.empty();

  @Option(names = "--out", description = "Write to this file.")
  Optional<Path> out = Optional.empty();

  @Override
  public Integer call() throws IOException {
    boolean many = seeds > 0 || scenarios.isPresent() || crashPlans.isPresent();
    if (full.isPresent() == many || seeds < 0 || crashPlans.filter(n -> n < 1).isPresent()) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "say --full RUN, or some of --seeds N, --scenarios and --crash-plans [N], N from 1");
    }
    List<String> lines = new ArrayList<>();
    if (full.isPresent()) {
      lines.addAll(StepSequences.full(full.get(), Path.of("testing", "sim", "scenarios")));
    }
    if (scenarios.isPresent()) {
      lines.addAll(StepSequences.ofScenarios(scenarios.get()));
    }
    if (crashPlans.isPresent()) {
      lines.addAll(StepSequences.ofCrashPlans(crashPlans.get()));
    }
    lines.addAll(StepSequences.ofSeeds(from, seeds));
    if (out.isPresent()) {
      Files.write(out.get(), lines);
    } else {
      lines.forEach(spec.commandLine().getOut()::println);
    }
    return 0;
  }
}
