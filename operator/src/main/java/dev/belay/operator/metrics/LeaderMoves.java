package dev.belay.operator.metrics;

import dev.belay.core.report.Report;
import dev.belay.core.report.Report.ComponentReport;
import dev.belay.core.report.Report.MemberReport;
import dev.belay.core.state.Step;
import java.util.Optional;

/**
 * How often a leader handed over because Belay asked. Where one request does it, agreement counts;
 * where a system needs several commands, what counts is that another one leads after them.
 *
 * @param told who led when the first of several commands was sent, in which component
 */
record LeaderMoves(long count, Optional<Told> told) {

  static final LeaderMoves NONE = new LeaderMoves(0, Optional.empty());

  private static final String LEADER = "leader";

  /** Whoever was to hand over. */
  record Told(String component, String leader) {}

  /** What a step that was accepted changes. */
  LeaderMoves after(Step step, Report report) {
    return switch (step) {
      case Step.TransferLeader _ -> new LeaderMoves(count + 1, told);
      case Step.Tell tell when !tell.mends() ->
          new LeaderMoves(
              count,
              told.or(
                  () -> leader(report, tell.component()).map(l -> new Told(tell.component(), l))));
      default -> this;
    };
  }

  /** Whether somebody else leads by now. */
  LeaderMoves seen(Report report) {
    boolean moved =
        told.filter(
                t -> leader(report, t.component()).filter(l -> !l.equals(t.leader())).isPresent())
            .isPresent();
    return moved ? new LeaderMoves(count + 1, Optional.empty()) : this;
  }

  private static Optional<String> leader(Report report, String component) {
    return report.components().stream()
        .filter(c -> c.name().equals(component))
        .map(ComponentReport::members)
        .flatMap(members -> members.stream())
        .filter(m -> m.role().equals(LEADER))
        .map(MemberReport::pod)
        .findFirst();
  }
}
