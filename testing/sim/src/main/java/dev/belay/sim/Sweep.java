package dev.belay.sim;

import dev.belay.sim.operator.Seams;
import dev.belay.sim.world.Fault;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Many seeds, on all cores; each run is alone in its world, so their order does not matter. */
public record Sweep(
    long seeds,
    long rollouts,
    long events,
    List<Outcome> failures,
    Map<Fault, Map<String, Integer>> counts,
    Duration worked) {

  /** Nothing tried yet. */
  static final Sweep NONE = new Sweep(0, 0, 0, List.of(), Map.of(), Duration.ZERO);

  public static Sweep of(long from, long seeds, Seams seams) {
    Duration before = processTime();
    List<Outcome> outcomes =
        LongStream.range(from, from + seeds)
            .parallel()
            .mapToObj(seed -> light(Simulation.run(Scenario.of(seed), seams)))
            .toList();
    Map<Fault, Map<String, Integer>> counts = new TreeMap<>();
    for (Outcome outcome : outcomes) {
      outcome
          .counts()
          .forEach((fault, steps) ->
              steps.forEach((step, n) ->
                  counts
                      .computeIfAbsent(fault, k -> new TreeMap<>())
                      .merge(step, n, Integer::sum)));
    }
    return new Sweep(
        seeds,
        outcomes.stream().mapToLong(Outcome::rollouts).sum(),
        outcomes.stream().mapToLong(Outcome::events).sum(),
        outcomes.stream()
            .filter(o -> !o.good())
            .sorted(Comparator.comparingLong(o -> o.scenario().seed()))
            .toList(),
        counts,
        processTime().minus(before));
  }

  /** What all cores together have worked for this process, its compiler and collector included. */
  private static Duration processTime() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** How many and how fast, measured on this machine; nothing depends on it. */
  public String pace() {
    String fast =
        worked.isZero()
            ? ""
            : ", %.0f roll-outs per core-second (%.1f s of processor time, compiler and collector included)"
                .formatted(rollouts * 1000.0 / worked.toMillis(), worked.toMillis() / 1000.0);
    return "%d seeds, %d roll-outs, %d events%s".formatted(seeds, rollouts, events, fast);
  }

  /** How many failing runs are shortened and told. */
  private static final int TOLD = 3;

  /** What broke: the first ones shortened and told, the others named. */
  public String finds(Seams seams) throws IOException {
    var text = new StringBuilder();
    for (Outcome failing : failures.subList(0, Math.min(TOLD, failures.size()))) {
      text.append('\n').append(Find.of(failing, seams).story());
    }
    failures.stream()
        .skip(TOLD)
        .forEach(o ->
            text.append("seed ")
                .append(o.scenario().seed())
                .append(" breaks ")
                .append(o.violation().orElseThrow().words())
                .append('\n'));
    return text.toString();
  }

  /** Both together. */
  public Sweep and(Sweep other) {
    Map<Fault, Map<String, Integer>> sum = new TreeMap<>();
    Stream.of(counts, other.counts)
        .forEach(c ->
            c.forEach((fault, steps) ->
                steps.forEach((step, n) ->
                    sum.computeIfAbsent(fault, k -> new TreeMap<>())
                        .merge(step, n, Integer::sum))));
    return new Sweep(
        seeds + other.seeds,
        rollouts + other.rollouts,
        events + other.events,
        Stream.concat(failures.stream(), other.failures.stream()).toList(),
        sum,
        worked.plus(other.worked));
  }

  /** The trace of a good run is of no use any more. */
  private static Outcome light(Outcome o) {
    return o.good()
        ? new Outcome(
            o.scenario(),
            o.violation(),
            o.hash(),
            o.events(),
            o.millis(),
            o.rollouts(),
            List.of(),
            List.of(),
            o.counts())
        : o;
  }

  /** Faults × the step Belay was at when they struck, so that holes are seen. */
  public String table() {
    var steps = new TreeSet<String>();
    counts.values().forEach(m -> steps.addAll(m.keySet()));
    var lines = new ArrayList<String>();
    var head = new StringBuilder("%-21s".formatted("fault × step"));
    steps.forEach(s -> head.append("%9s".formatted(s)));
    lines.add(head.toString());
    for (Fault fault : Fault.values()) {
      var line = new StringBuilder("%-21s".formatted(fault));
      for (String step : steps) {
        int n = counts.getOrDefault(fault, Map.of()).getOrDefault(step, 0);
        line.append("%9s".formatted(n == 0 ? "·" : Integer.toString(n)));
      }
      lines.add(line.toString());
    }
    return String.join("\n", lines);
  }
}
