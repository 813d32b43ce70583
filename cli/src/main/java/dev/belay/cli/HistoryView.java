package dev.belay.cli;

import static dev.belay.cli.Cluster.word;

import dev.belay.api.v1alpha1.Durations;
import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Past;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Upgrade;
import dev.belay.cli.Line.Span;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A line per upgrade: the one under way first, then those that are over, the newest first. */
record HistoryView(Cluster cluster, Instant now) {

  List<Line> lines() {
    var rows = new ArrayList<List<Span>>();
    List<Past> past = cluster.status().map(StatefulClusterStatus::history).orElse(List.of());
    cluster.upgrade().ifPresent(u -> rows.add(underWay(u)));
    past.stream().map(this::over).forEach(rows::add);
    if (rows.isEmpty()) {
      return List.of();
    }
    rows.addFirst(
        Stream.of("FROM", "TO", "STARTED", "TOOK", "WAITED", "OUTCOME", "APPROVED-BY", "FORCED-BY")
            .map(n -> new Span(n, Hue.QUIET))
            .toList());
    var lines = new ArrayList<>(new Table(rows, "   ").lines());
    cluster.upgrade().ifPresent(u -> lines.addAll(left(u.to(), u.left())));
    past.forEach(p -> lines.addAll(left(p.to(), p.left())));
    return lines;
  }

  /** What is still as an upgrade left it. */
  private static List<Line> left(@Nullable String to, List<String> left) {
    return left.stream()
        .map(what -> Line.of("left as it is in the upgrade to " + word(to) + ": " + what, Hue.CARE))
        .toList();
  }

  private List<Span> underWay(Upgrade u) {
    Duration waited =
        waited(u.waited()).plus(Ages.since(u.waitingSince(), now).orElse(Duration.ZERO));
    return row(
        List.of(word(u.from()), word(u.to()), started(u.since()), took(u.since(), now)),
        waited,
        new Span(cluster.phase(), Hue.ofPhase(cluster.phase())),
        List.of(word(u.approvedBy()), word(u.forcedBy())));
  }

  private List<Span> over(Past p) {
    Hue hue =
        switch (word(p.outcome())) {
          case "Completed" -> Hue.GOOD;
          case "Failed" -> Hue.BAD;
          default -> Hue.CARE;
        };
    return row(
        List.of(
            word(p.from()),
            word(p.to()),
            started(p.since()),
            time(p.until()).map(end -> took(p.since(), end)).orElse("")),
        waited(p.waited()),
        new Span(word(p.outcome()), hue),
        List.of(word(p.approvedBy()), word(p.forcedBy())));
  }

  /** What is empty is shown as a dash: a column that moved would be read as another. */
  private static List<Span> row(
      List<String> when, Duration waited, Span outcome, List<String> who) {
    var row = new ArrayList<Span>();
    when.forEach(text -> row.add(plain(text)));
    row.add(plain(waited.toSeconds() == 0 ? "" : Ages.compact(waited)));
    row.add(outcome);
    who.forEach(text -> row.add(plain(text)));
    return row;
  }

  private static Span plain(String text) {
    return text.isEmpty() ? new Span("-", Hue.QUIET) : new Span(text, Hue.PLAIN);
  }

  private static String started(@Nullable String since) {
    return time(since).map(t -> t.truncatedTo(ChronoUnit.SECONDS).toString()).orElse("");
  }

  private static String took(@Nullable String since, Instant end) {
    return Ages.since(since, end).map(Ages::compact).orElse("");
  }

  private static Duration waited(@Nullable String text) {
    try {
      return text == null ? Duration.ZERO : Durations.read(text);
    } catch (DateTimeParseException e) {
      return Duration.ZERO;
    }
  }

  private static Optional<Instant> time(@Nullable String text) {
    try {
      return Optional.ofNullable(text).map(Instant::parse);
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
