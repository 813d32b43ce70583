package dev.belay.drivers.bookkeeper;

import dev.belay.core.model.Fact;
import dev.belay.drivers.bookkeeper.Answers.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Who is registered in ZooKeeper, as the bookies that answer see it. They hear of a change at
 * slightly different moments: writable is who is that in everybody's eyes.
 *
 * @param telling whether each of our own that runs is found in it, so that one who is not found is
 *     not there
 */
record Registry(List<String> writable, List<String> all, boolean telling) {

  static Fact<Registry> of(List<SeatReport> reports) {
    List<SeatReport> telling =
        reports.stream().filter(r -> r.registered() instanceof Fact.Known).toList();
    if (telling.isEmpty()) {
      return Fact.unknown(
          "nobody lists the bookies: " + Picture.troubles(reports, SeatReport::registered));
    }
    SeatReport first = telling.getFirst();
    for (SeatReport other : telling) {
      if (strangers(known(first), known(other))) {
        return Fact.unknown(named(first) + "; " + named(other));
      }
    }
    var all = new TreeSet<String>();
    telling.forEach(r -> all.addAll(known(r)));
    var writable = new ArrayList<>(first.writable().asOptional().orElse(List.of()));
    telling.forEach(r -> writable.retainAll(r.writable().asOptional().orElse(List.of())));
    return Fact.known(
        new Registry(List.copyOf(writable), List.copyOf(all), found(reports, List.copyOf(all))));
  }

  private static boolean found(List<SeatReport> reports, List<String> all) {
    return reports.stream()
        .filter(r -> r.state().asOptional().filter(State::running).isPresent())
        .allMatch(r -> Ids.of(r.seat(), all).size() == 1);
  }

  /** A cluster has no id that a bookie would tell; two of them have no bookie in common. */
  private static boolean strangers(List<String> one, List<String> other) {
    return !one.isEmpty() && !other.isEmpty() && Collections.disjoint(one, other);
  }

  private static String named(SeatReport report) {
    return report.seat().pod()
        + " is of the cluster of "
        + known(report).stream().limit(3).collect(Collectors.joining(", "));
  }

  private static List<String> known(SeatReport report) {
    return report.registered().asOptional().orElse(List.of());
  }
}
