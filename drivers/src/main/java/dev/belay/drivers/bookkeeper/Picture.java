package dev.belay.drivers.bookkeeper;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.core.state.Command;
import dev.belay.drivers.bookkeeper.Answers.Cluster;
import dev.belay.drivers.bookkeeper.Answers.State;
import dev.belay.drivers.wire.Hosts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts what the seats answered together into one topology, or says why that cannot be done. */
final class Picture {

  static final String NO_ENSEMBLE_SIZE =
      "driver.options.ensembleSize is not set: BookKeeper does not tell how many writable bookies its"
          + " clients need; set it to the largest ensemble size that any of them uses";

  private static final Fact<String> VERSION = Fact.unknown("a bookie does not tell its version");

  private final List<SeatReport> reports;
  private final Registry registry;
  private final int ensembleSize;

  private Picture(List<SeatReport> reports, Registry registry, int ensembleSize) {
    this.reports = reports;
    this.registry = registry;
    this.ensembleSize = ensembleSize;
  }

  static Fact<Topology> of(List<SeatReport> reports, Optional<Integer> ensembleSize) {
    if (ensembleSize.isEmpty()) {
      return Fact.unknown(NO_ENSEMBLE_SIZE);
    }
    if (reports.stream().noneMatch(r -> r.state() instanceof Fact.Known)) {
      return Fact.unknown(
          "no member answers: "
              + (reports.isEmpty()
                  ? "there is no pod to ask"
                  : troubles(reports, SeatReport::state)));
    }
    return everySeatHasItsName(reports)
        .flatMap(_ -> Registry.of(reports))
        .map(registry -> new Picture(reports, registry, ensembleSize.get()).topology());
  }

  private static Fact<String> everySeatHasItsName(List<SeatReport> reports) {
    long names = reports.stream().map(r -> r.seat().memberName()).distinct().count();
    return names == reports.size()
        ? Fact.known("")
        : Fact.unknown("driver.memberName gives two pods one name; let it contain {pod}");
  }

  static String troubles(
      List<SeatReport> reports, Function<SeatReport, ? extends Fact<?>> question) {
    return reports.stream()
        .flatMap(r ->
            question.apply(r) instanceof Fact.Unknown<?> unknown
                ? Stream.of(r.seat().pod() + " " + unknown.why())
                : Stream.empty())
        .collect(Collectors.joining("; "));
  }

  private Topology topology() {
    Map<String, Fact<String>> shared = shared();
    List<Member> members =
        reports.stream()
            .map(r -> member(r, shared))
            .sorted(Comparator.comparing(Member::name))
            .toList();
    return new Topology(
        "bookies " + String.join(", ", registry.all()),
        members,
        Fact.known(Leader.NOBODY),
        groups(members));
  }

  /**
   * Clients need an ensemble of writable bookies, whoever goes down. One that is read-only counts
   * for nobody but itself: to take it down takes no writable one away.
   */
  private List<Group> groups(List<Member> members) {
    int required = Math.max(0, ensembleSize - others());
    List<String> writable =
        members.stream().filter(m -> !Readings.readOnly(m)).map(Member::id).toList();
    var groups = new ArrayList<Group>();
    groups.add(new Group("writable bookies", writable, required));
    members.stream()
        .filter(Readings::readOnly)
        .forEach(m ->
            groups.add(
                new Group(
                    "writable bookies and " + m.name(),
                    Stream.concat(writable.stream(), Stream.of(m.id())).toList(),
                    required)));
    return List.copyOf(groups);
  }

  /**
   * The writable bookies of the cluster that are no pods of this component. As long as one of our
   * own is not found among the registered it could be taken for such a one, and none is counted.
   */
  private int others() {
    if (!registry.telling()) {
      return 0;
    }
    return (int)
        registry.writable().stream()
            .filter(id -> reports.stream().allMatch(r -> Ids.of(r.seat(), List.of(id)).isEmpty()))
            .count();
  }

  private Member member(SeatReport report, Map<String, Fact<String>> shared) {
    Fact<String> mode = report.state().map(Picture::mode);
    var readings = new TreeMap<String, Fact<String>>(shared);
    readings.put(Readings.MODE, mode);
    readings.put(Command.TERM, term(readings));
    return new Member(
        report.seat().memberName(),
        report.seat().memberName(),
        List.of(Hosts.of(report.seat())),
        Role.PEER,
        MemberHealth.of(report, registry),
        VERSION,
        readings);
  }

  static String mode(State state) {
    return state.readOnly() ? Readings.READ_ONLY : Readings.WRITABLE;
  }

  static String recovery(Cluster cluster) {
    return cluster.recovering() ? Readings.ON : Readings.OFF;
  }

  /** All that commands change, as it is: what was before a command is what its fence says. */
  static Fact<String> term(Map<String, Fact<String>> readings) {
    return reading(readings, Readings.MODE)
        .map(mode ->
            "%s, autorecovery %s, delay %s"
                .formatted(
                    mode,
                    reading(readings, Readings.AUTORECOVERY).asOptional().orElse("?"),
                    reading(readings, Readings.DELAY).asOptional().orElse("?")));
  }

  private static Fact<String> reading(Map<String, Fact<String>> readings, String key) {
    return readings.getOrDefault(key, Fact.unknown(key + " was not read"));
  }

  /** What ZooKeeper says to all of them. */
  private Map<String, Fact<String>> shared() {
    Fact<Cluster> info = one(SeatReport::info);
    return Map.of(
        Readings.AUTORECOVERY,
        info.map(Picture::recovery),
        Readings.AUDITOR,
        info.map(i -> i.auditor().map(this::host).orElse(Readings.NOBODY)),
        Readings.DELAY,
        one(SeatReport::delay).map(String::valueOf),
        Readings.UNDER_REPLICATED,
        underReplicated());
  }

  private String host(String auditor) {
    return reports.stream()
        .filter(r -> !Ids.of(r.seat(), List.of(auditor)).isEmpty())
        .map(r -> r.seat().memberName())
        .findFirst()
        .orElse(Readings.ELSEWHERE);
  }

  /** Ledgers come and go while they are asked for: whoever misses one is believed. */
  private Fact<String> underReplicated() {
    List<List<String>> said =
        reports.stream().flatMap(r -> r.underReplicated().asOptional().stream()).toList();
    return said.isEmpty()
        ? Fact.unknown(troubles(reports, SeatReport::underReplicated))
        : Fact.known(
            said.stream().flatMap(List::stream).distinct().collect(Collectors.joining(", ")));
  }

  /** What all say who answer. */
  private <T> Fact<T> one(Function<SeatReport, Fact<T>> question) {
    List<T> said =
        reports.stream().flatMap(r -> question.apply(r).asOptional().stream()).distinct().toList();
    return switch (said.size()) {
      case 0 -> Fact.unknown(troubles(reports, question));
      case 1 -> Fact.known(said.getFirst());
      default -> Fact.unknown("it changes while it is read");
    };
  }
}
