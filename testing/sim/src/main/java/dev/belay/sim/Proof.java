package dev.belay.sim;

import dev.belay.sim.CrashPlans.Plan;
import dev.belay.sim.CrashPlans.Reference;
import dev.belay.sim.CrashPlans.Result;
import dev.belay.sim.explore.Atlas;
import dev.belay.sim.explore.Exploration;
import dev.belay.sim.explore.Explorer;
import dev.belay.sim.operator.Seams;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** All of it at length: fresh seeds, small worlds, crash plans; the last line says how many. */
@Command(
    name = "proof",
    description = "Fresh seeds, every small world and all crash plans; 1 if a promise breaks.")
final class Proof implements Callable<Integer> {

  private static final long SLICE = 1000;
  private static final int TOLD = 3;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(names = "--seeds", defaultValue = "20000", description = "How many seeds.")
  long seeds;

  @Option(
      names = "--from",
      defaultValue = "0",
      description = "The first seed; 0: the clock's seconds, so that they are fresh.")
  long from;

  @Option(
      names = "--budget",
      defaultValue = "14000",
      description = "In how many small worlds of each kind Belay decides at most.")
  int budget;

  private final long start = System.nanoTime();

  @Override
  public Integer call() throws IOException {
    if (seeds < 1 || budget < 1 || from < 0) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "nothing to prove: --seeds and --budget from 1, --from from 0");
    }
    Map<Plan, Long> plans = new TreeMap<>();
    long badPlans = plans(plans);
    List<Exploration> explored = explore();
    Sweep sweep = sweep();
    long badWorlds = explored.stream().filter(e -> !e.good()).count();
    say("%s, from seed %d: %d broken".formatted(sweep.pace(), first(), sweep.failures().size()));
    long worlds = explored.stream().mapToLong(Exploration::worlds).sum();
    long unseen = explored.stream().mapToLong(Exploration::frontier).sum();
    say(
        "%d distinct small worlds of %d kinds decided in, %d more only found: %d kinds broken"
            .formatted(worlds, explored.size(), unseen, badWorlds));
    long tried = plans.values().stream().mapToLong(n -> n).sum();
    say("%d crash plans %s: %d end otherwise".formatted(tried, plans, badPlans));
    boolean good = badPlans == 0 && badWorlds == 0 && sweep.failures().isEmpty();
    say(good ? "no promise broken" : "a promise is BROKEN: see above");
    return good ? 0 : 1;
  }

  private long plans(Map<Plan, Long> counts) {
    long bad = 0;
    for (Reference reference : CrashPlans.references()) {
      List<Result> results = CrashPlans.run(reference);
      results.forEach(r -> counts.merge(r.plan(), 1L, Long::sum));
      List<Result> troubled = results.stream().filter(r -> r.trouble().isPresent()).toList();
      troubled.stream()
          .limit(TOLD)
          .forEach(r -> say(r.plan() + " at " + r.moment() + ": " + r.trouble().orElseThrow()));
      bad += troubled.size();
      say("%5d crash plans: %s".formatted(results.size(), reference));
    }
    return bad;
  }

  private List<Exploration> explore() {
    return Stream.concat(
            Atlas.of(List.of(1, 2, 3, 5), 2, 2).stream(),
            Atlas.pairs(List.of(1, 2, 3), 2, 2).stream())
        .toList()
        .parallelStream()
        .map(terrain -> {
          Exploration found = Explorer.explore(terrain, budget);
          say(found.story().stripTrailing());
          return found;
        })
        .collect(Collectors.toList());
  }

  /** In slices, so that somebody who waits sees that it goes on. */
  private Sweep sweep() throws IOException {
    Sweep sum = Sweep.NONE;
    while (sum.seeds() < seeds) {
      Sweep slice =
          Sweep.of(first() + sum.seeds(), Math.min(SLICE, seeds - sum.seeds()), Seams.NONE);
      if (!slice.failures().isEmpty()) {
        say(slice.finds(Seams.NONE));
      }
      sum = sum.and(slice);
      say("%6d seeds, %d broken".formatted(sum.seeds(), sum.failures().size()));
    }
    say(sum.table());
    return sum;
  }

  private long first() {
    if (from == 0) {
      from = Instant.now().getEpochSecond();
    }
    return from;
  }

  private void say(String words) {
    PrintWriter out = spec.commandLine().getOut();
    synchronized (this) {
      out.printf("%7.1f s  %s%n", (System.nanoTime() - start) / 1e9, words);
      out.flush();
    }
  }
}
