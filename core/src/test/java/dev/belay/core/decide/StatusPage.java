package dev.belay.core.decide;

import dev.belay.core.report.Migrating;
import dev.belay.core.report.Report;
import dev.belay.core.report.Report.ComponentReport;
import dev.belay.core.report.Report.MemberReport;
import dev.belay.core.state.Memory.Outcome;
import dev.belay.core.state.Memory.Past;
import dev.belay.core.state.Memory.Run;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All that a report says to people, a line each. */
final class StatusPage {

  private StatusPage() {}

  static Stream<String> lines(Report report) {
    Stream<String> conditions =
        report.conditions().stream()
            .map(c ->
                "%s=%s %s %s".formatted(c.type(), c.status(), c.reason(), c.message()).strip());
    return Stream.of(
            Stream.of(
                "%s %s > %s, way back: %s %s"
                    .formatted(
                        report.phase(),
                        report.currentVersion(),
                        report.targetVersion(),
                        report.wayBack().floor(),
                        report.wayBack().reason())),
            report.blockedBy().map(b -> "blocked by " + b).stream(),
            report.components().stream().map(StatusPage::line),
            report.components().stream().flatMap(c -> c.members().stream()).map(StatusPage::line),
            conditions,
            report.migrations().map(StatusPage::line).stream(),
            report.memory().run().map(StatusPage::line).stream(),
            report.memory().history().stream().map(StatusPage::line))
        .flatMap(lines -> lines);
  }

  private static String line(ComponentReport c) {
    return "%s %s %s > %s, %s, owes %s"
        .formatted(c.name(), c.phase(), c.currentVersion(), c.targetVersion(), c.guard(), c.owes());
  }

  private static String line(MemberReport m) {
    return "%s %s %s %s updated %s ready %s voter %s healthy %s%s"
        .formatted(
            m.pod(),
            m.revision(),
            m.version(),
            m.role(),
            m.updated(),
            m.ready(),
            m.voter(),
            m.healthy(),
            m.heldBy().map(b -> ", held by " + b.rule() + ": " + b.reading()).orElse(""));
  }

  private static String line(Migrating m) {
    return "migrations: %s, %d pending, %d done%s%s"
        .formatted(
            new TreeMap<>(m.phases()),
            m.pending(),
            m.done(),
            m.operation().map(o -> ", at " + o.title()).orElse(""),
            m.trouble().isEmpty() ? "" : ", " + m.trouble());
  }

  private static String line(Run run) {
    return "%s > %s since %s, waited %s, waiting %s, approved by %s, forced by %s, begun %s%s%s"
        .formatted(
            run.from(),
            run.to(),
            run.since(),
            run.waited(),
            run.waitingSince().map(Object::toString).orElse("for nobody"),
            run.approvedBy(),
            run.forcedBy(),
            run.begun(),
            run.outcome() == Outcome.COMPLETED ? "" : ", " + run.outcome(),
            (run.next().isEmpty() ? "" : ", next: " + run.next())
                + (run.left().isEmpty() ? "" : ", left: " + run.left()));
  }

  private static String line(Past past) {
    return Stream.of(
            "was " + past.from() + " > " + past.to(),
            past.outcome(),
            past.since() + " to " + past.until(),
            "waited " + past.waited(),
            "approved by " + past.approvedBy(),
            "forced by "
                + past.forcedBy()
                + (past.left().isEmpty() ? "" : ", left: " + past.left()))
        .map(Object::toString)
        .collect(Collectors.joining(", "));
  }
}
