package dev.belay.sim;

import dev.belay.sim.explore.Atlas;
import dev.belay.sim.explore.Exploration;
import dev.belay.sim.explore.Explorer;
import dev.belay.sim.explore.Terrain;
import dev.belay.sim.operator.Seams;
import dev.belay.sim.picture.Page;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** bin/belay-sim: run one seed or scenario, sweep many seeds, write down their steps. */
@Command(
    name = "belay-sim",
    mixinStandardHelpOptions = true,
    version = "belay-sim 0.1.0",
    subcommands = {Proof.class, Steps.class},
    description = "Belay's production loop in a simulated world: same seed, same run.")
public final class Main {

  private static final int BROKEN = 1;

  @Spec CommandSpec spec = CommandSpec.create();

  public static void main(String[] args) {
    var line = new CommandLine(new Main());
    line.setExecutionExceptionHandler((problem, cmd, parsed) -> {
      cmd.getErr().println("belay-sim: " + problem.getMessage());
      return CommandLine.ExitCode.USAGE;
    });
    System.exit(line.execute(args));
  }

  @Command(name = "run", description = "Runs one seed, or one saved scenario.")
  int run(
      @Option(names = "--seed", description = "Which seed.") Optional<Long> seed,
      @Option(names = "--scenario", description = "A file of testing/sim/scenarios.")
          Optional<Path> file,
      @Option(names = "--trace", description = "Print everything that happens.") boolean trace,
      @Option(names = "--shrink", description = "Shorten a run that breaks a promise.")
          boolean shrink,
      @Option(names = "--html", description = "Draw the run as a page for a browser.")
          Optional<Path> html,
      @Option(names = "--save", description = "Write the scenario to this file.")
          Optional<Path> save)
      throws IOException {
    if (seed.isPresent() == file.isPresent()) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "say either --seed N or --scenario FILE");
    }
    Scenario scenario =
        file.isPresent() ? ScenarioFile.read(file.get()) : Scenario.of(seed.orElseThrow());
    Outcome outcome = Simulation.run(scenario);
    String replay = file.map(Find::replay).orElse(scenario.replay());
    if (shrink && !outcome.good()) {
      Find find = Find.of(outcome, Seams.NONE);
      outcome = find.outcome();
      replay = save.map(Find::replay).orElse(find.replay());
    }
    PrintWriter out = spec.commandLine().getOut();
    if (trace) {
      outcome.trace().forEach(out::println);
    }
    out.print(outcome.story(replay));
    out.printf(
        "seed %d: %s, %d events in %.1f s, %d roll-outs, trace %016x%n",
        scenario.seed(),
        outcome.good() ? "good" : "BROKEN",
        outcome.events(),
        outcome.millis() / 1000.0,
        outcome.rollouts(),
        outcome.hash());
    if (html.isPresent()) {
      Files.writeString(html.get(), Page.of(outcome.scenario(), replay));
    }
    if (save.isPresent()) {
      String about = outcome.violation().map(v -> "once broke " + v.words()).orElse("a good run");
      Files.writeString(save.get(), ScenarioFile.write(outcome.scenario(), about));
    }
    return outcome.good() ? 0 : BROKEN;
  }

  @Command(name = "sweep", description = "Runs many seeds and counts what they met.")
  int sweep(
      @Option(names = "--seeds", required = true, description = "How many.") long seeds,
      @Option(names = "--from", defaultValue = "1", description = "The first one.") long from)
      throws IOException {
    if (seeds < 1) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--seeds " + seeds + ": there is nothing to run; say 1 or more");
    }
    PrintWriter out = spec.commandLine().getOut();
    long start = System.nanoTime();
    Sweep sweep = Sweep.of(from, seeds, Seams.NONE);
    double seconds = (System.nanoTime() - start) / 1e9;
    out.println(sweep.table());
    out.print(sweep.finds(Seams.NONE));
    out.printf("%s, in %.1f s: %d broken%n", sweep.pace(), seconds, sweep.failures().size());
    return sweep.failures().isEmpty() ? 0 : BROKEN;
  }

  @Command(
      name = "crash",
      description = "Runs one crash plan: a run without faults in which one moment goes wrong.")
  int crash(
      @Option(names = "--run", required = true, description = "Which run, from 1.") int run,
      @Option(names = "--plan", required = true, description = "${COMPLETION-CANDIDATES}")
          CrashPlans.Plan plan,
      @Option(names = "--at", required = true, description = "Which moment, from 0; -1: none.")
          int moment,
      @Option(names = "--trace", description = "Print everything that happens.") boolean trace) {
    List<CrashPlans.Reference> all = CrashPlans.references();
    if (run < 1 || run > all.size() || moment < CrashPlans.NEVER) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "say --run from 1 to " + all.size() + " and --at from 0, or -1");
    }
    PrintWriter out = spec.commandLine().getOut();
    CrashPlans.Told told = CrashPlans.retell(all.get(run - 1), plan, moment);
    if (trace) {
      told.outcome().trace().forEach(out::println);
    }
    Optional<String> trouble = told.result().trouble();
    out.println(trouble.orElse("ends as it would have without"));
    return trouble.isEmpty() ? 0 : BROKEN;
  }

  @Command(
      name = "explore",
      description = "Walks through every small world breadth-first, and counts them.")
  int explore(
      @Option(
              names = "--replicas",
              split = ",",
              defaultValue = "1,2,3,5",
              description = "Sizes of the set.")
          List<Integer> replicas,
      @Option(
              names = "--pairs",
              split = ",",
              defaultValue = "1,2,3",
              description = "Sizes of the sets where there are two.")
          List<Integer> pairs,
      @Option(
              names = "--changes",
              defaultValue = "2",
              description = "How often a person may change his mind.")
          int changes,
      @Option(
              names = "--faults",
              defaultValue = "2",
              description = "How often something may go wrong.")
          int faults,
      @Option(
              names = "--budget",
              defaultValue = "50000",
              description = "In how many worlds of each kind Belay decides at most.")
          int budget) {
    if (budget < 1
        || changes < 0
        || faults < 0
        || Stream.concat(replicas.stream(), pairs.stream()).anyMatch(n -> n < 1)) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "nothing to explore: --budget and --replicas from 1, --changes and --faults from 0");
    }
    PrintWriter out = spec.commandLine().getOut();
    long start = System.nanoTime();
    long worlds = 0;
    long unseen = 0;
    int broken = 0;
    List<Terrain> terrains =
        Stream.concat(
                Atlas.of(replicas, changes, faults).stream(),
                Atlas.pairs(pairs, changes, faults).stream())
            .toList();
    for (Terrain terrain : terrains) {
      Exploration found = Explorer.explore(terrain, budget);
      worlds += found.worlds();
      unseen += found.frontier();
      broken += found.good() ? 0 : 1;
      out.print(found.story());
      out.flush();
    }
    out.printf(
        "%d distinct worlds decided in, %d more only found, in %.1f s: %d kinds broken%n",
        worlds, unseen, (System.nanoTime() - start) / 1e9, broken);
    return broken == 0 ? 0 : BROKEN;
  }
}
