package dev.belay.operator.metrics;

import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.report.Report.ComponentReport;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Step;
import dev.belay.operator.metrics.Family.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one StatefulCluster: its last report, and what this process counted.
 *
 * @param partitionWrites by component, when Belay last wrote its partition
 * @param letGo by component, when Belay last let one of its members go, by whatever means
 */
record ClusterSeries(
    Optional<Report> report,
    Map<StepKind, Long> steps,
    LeaderMoves leaderMoves,
    long failures,
    Map<String, Instant> partitionWrites,
    Map<String, Instant> letGo) {

  static final ClusterSeries EMPTY =
      new ClusterSeries(Optional.empty(), Map.of(), LeaderMoves.NONE, 0, Map.of(), Map.of());

  /** What is counted of steps. */
  record StepKind(String kind, String outcome) implements Comparable<StepKind> {
    @Override
    public int compareTo(StepKind other) {
      int byKind = kind.compareTo(other.kind);
      return byKind != 0 ? byKind : outcome.compareTo(other.outcome);
    }
  }

  ClusterSeries after(Turn turn, Instant at) {
    var counted = new TreeMap<>(steps);
    var writes = new HashMap<>(partitionWrites);
    var gone = new HashMap<>(letGo);
    LeaderMoves moves = leaderMoves.seen(turn.report());
    // Refused without a reason was not even tried.
    boolean tried = turn.acted().accepted() || !turn.acted().detail().isEmpty();
    if (turn.decision() instanceof Perform(Step step) && tried) {
      boolean accepted = turn.acted().accepted();
      counted.merge(
          new StepKind(step.getClass().getSimpleName(), accepted ? "accepted" : "refused"),
          1L,
          Long::sum);
      if (accepted && step instanceof Step.PartitionWrite) {
        writes.put(step.component(), at);
      }
      if (accepted && (step.takesDown().isPresent() || step instanceof Step.LetRoll)) {
        gone.put(step.component(), at);
      }
      if (accepted) {
        moves = moves.after(step, turn.report());
      }
    }
    return new ClusterSeries(Optional.of(turn.report()), counted, moves, failures, writes, gone);
  }

  ClusterSeries afterFailure() {
    return new ClusterSeries(report, steps, leaderMoves, failures + 1, partitionWrites, letGo);
  }

  List<Sample> samples(String namespace, String cluster, Instant now) {
    var out = new ArrayList<Sample>();
    report.ifPresent(r -> {
      r.components().forEach(c -> component(out, namespace, cluster, c, r));
      for (Phase phase : Phase.values()) {
        out.add(
            Family.PHASE.sample(phase == r.phase() ? 1 : 0, namespace, cluster, phase.toString()));
      }
      r.blockedBy()
          .ifPresent(b ->
              out.add(
                  Family.BLOCKED.sample(
                      Math.max(0, seconds(Duration.between(b.since(), now))),
                      namespace,
                      cluster,
                      b.rule())));
    });
    report
        .flatMap(UpgradeTime::of)
        .ifPresent(u -> {
          out.add(
              Family.UPGRADE_DURATION.sample(
                  seconds(u.working(now)), namespace, cluster, "working"));
          out.add(
              Family.UPGRADE_DURATION.sample(
                  seconds(u.waiting(now)), namespace, cluster, "waiting"));
        });
    steps.forEach((step, count) ->
        out.add(
            Family.STEPS.sample((double) count, namespace, cluster, step.kind(), step.outcome())));
    out.add(Family.LEADER_MOVES.sample((double) leaderMoves.count(), namespace, cluster));
    out.add(Family.TURN_FAILURES.sample((double) failures, namespace, cluster));
    return out;
  }

  private void component(
      List<Sample> out, String namespace, String cluster, ComponentReport c, Report r) {
    int updated = c.updated();
    out.add(Family.REPLICAS.sample(c.replicas(), namespace, cluster, c.name()));
    out.add(
        Family.CURRENT_REPLICAS.sample(c.members().size() - updated, namespace, cluster, c.name()));
    out.add(Family.UPDATED_REPLICAS.sample(updated, namespace, cluster, c.name()));
    out.add(Family.READY_REPLICAS.sample(c.ready(), namespace, cluster, c.name()));
    Optional<Target> target = r.memory().component(c.name()).target();
    // A process that was not there when the partition was written knows at least the start; and a
    // write of an earlier roll-out says nothing about this one.
    latest(target.map(Target::since), partitionWrites.get(c.name()))
        .ifPresent(at ->
            out.add(
                Family.LAST_PARTITION_UPDATED.sample(
                    at.toEpochMilli() / 1e3, namespace, cluster, c.name())));
    target
        .flatMap(t -> latest(Optional.of(t.moved()), letGo.get(c.name())))
        .ifPresent(at ->
            out.add(
                Family.LAST_MOVED.sample(at.toEpochMilli() / 1e3, namespace, cluster, c.name())));
  }

  private static Optional<Instant> latest(Optional<Instant> one, @Nullable Instant other) {
    return Stream.concat(one.stream(), Stream.ofNullable(other)).max(Instant::compareTo);
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1e3;
  }
}
