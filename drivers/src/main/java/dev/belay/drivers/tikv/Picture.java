package dev.belay.drivers.tikv;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.core.state.Command;
import dev.belay.drivers.tikv.Answers.Gap;
import dev.belay.drivers.tikv.Answers.Store;
import dev.belay.drivers.wire.Hosts;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts what PD answered and the seats together into one topology, or says what is missing. */
final class Picture {

  private static final int SHOWN = 3;

  private final List<Seat> seats;
  private final PdReport report;
  private final List<Store> stores;
  private final int spare;
  private final Optional<Duration> limit;

  private Picture(
      List<Seat> seats,
      PdReport report,
      List<Store> stores,
      int maxReplicas,
      Optional<Duration> limit) {
    this.seats = seats;
    this.report = report;
    this.stores = stores.stream().filter(s -> !s.columnar()).toList();
    // With fewer stores than that a region has a peer on each of them.
    this.spare = Math.max(0, (Math.min(maxReplicas, this.stores.size()) - 1) / 2);
    this.limit = limit;
  }

  static Fact<Topology> of(List<Seat> seats, PdReport report, Optional<Duration> limit) {
    if (seats.isEmpty()) {
      return Fact.unknown("there is no pod that could be a store");
    }
    return named("stores", report.stores())
        .flatMap(stores ->
            named("max-replicas", report.maxReplicas())
                .map(max -> new Picture(seats, report, stores, max, limit).topology()));
  }

  private static <T> Fact<T> named(String what, Fact<T> fact) {
    return fact instanceof Fact.Unknown<T>(String why)
        ? Fact.unknown("PD does not tell the " + what + ": " + why)
        : fact;
  }

  private Topology topology() {
    List<Member> members =
        seats.stream().map(this::member).sorted(Comparator.comparing(Member::name)).toList();
    List<String> ids = members.stream().map(Member::id).toList();
    return new Topology(
        report.clusterId(),
        members,
        Fact.known(Leader.NOBODY),
        List.of(new Group("stores", ids, Math.max(0, ids.size() - spare))));
  }

  private Member member(Seat seat) {
    List<Store> found = at(seat);
    Optional<Store> only = found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
    return new Member(
        only.map(Store::id).orElse(seat.memberName()),
        seat.memberName(),
        List.of(Hosts.of(seat)),
        Role.PEER,
        MemberHealth.of(seat, found),
        only.map(Picture::version).orElse(Fact.unknown("PD knows no one store in this pod")),
        only.map(this::readings).orElse(Map.of()));
  }

  private List<Store> at(Seat seat) {
    return stores.stream()
        .filter(s -> Hosts.same(Hosts.ofAddress(s.address()), Hosts.of(seat)))
        .toList();
  }

  private static Fact<String> version(Store store) {
    return store.version().isEmpty()
        ? Fact.unknown("store " + store.id() + " tells no version")
        : Fact.known(store.version());
  }

  private Map<String, Fact<String>> readings(Store store) {
    var readings = new TreeMap<String, Fact<String>>();
    readings.put(Readings.LEADERS, leaders(store));
    readings.put(Readings.EVICTION, eviction(store.id(), report.evicted()));
    readings.put(Readings.ALL_EVICTED, report.evicted().map(ids -> String.join(",", ids)));
    readings.put(Readings.STARTED, Fact.known(store.started()));
    readings.put(Readings.GAPS, gaps(store));
    readings.put(Readings.OTHERS, Fact.known(others()));
    readings.put(Readings.SPARE, Fact.known(Integer.toString(spare)));
    readings.put(Readings.LIMIT, Fact.known(limit.map(Duration::toString).orElse("")));
    readings.put(Command.TERM, Readings.term(store.id(), readings.get(Readings.EVICTION)));
    return readings;
  }

  static Fact<String> eviction(String id, Fact<List<String>> evicted) {
    return evicted.map(ids -> ids.contains(id) ? Readings.ON : Readings.OFF);
  }

  /**
   * A PD that has just started knows its regions from its disk, but not who leads them: until it
   * has heard of each, a store that leads nothing may lead anything. Both are taken from one
   * answer, for between two it may have heard.
   */
  private Fact<String> leaders(Store store) {
    if (store.leaders() > 0 || !report.needsRegions()) {
      return Fact.known(Long.toString(store.leaders()));
    }
    return report
        .regions()
        .flatMap(r ->
            r.led() >= r.all()
                ? Fact.known(Long.toString(r.ledBy().getOrDefault(store.id(), 0L)))
                : Fact.unknown(
                    "PD has not heard yet who leads %d of %d regions"
                        .formatted(r.all() - r.led(), r.all())));
  }

  /** The store's own absence is no reason against bringing it back. */
  private Fact<String> gaps(Store store) {
    return report
        .down()
        .flatMap(down ->
            report
                .missing()
                .map(missing ->
                    Stream.of(
                            words(
                                down.stream()
                                    .filter(g ->
                                        g.stores().stream().anyMatch(s -> !s.equals(store.id())))
                                    .toList(),
                                "with a peer that is down"),
                            words(missing, "with too few peers"))
                        .filter(w -> !w.isEmpty())
                        .collect(Collectors.joining(", "))));
  }

  private static String words(List<Gap> gaps, String what) {
    return gaps.isEmpty()
        ? ""
        : "%d %s %s (%s%s)"
            .formatted(
                gaps.size(),
                gaps.size() == 1 ? "region" : "regions",
                what,
                gaps.stream().limit(SHOWN).map(Gap::region).collect(Collectors.joining(", ")),
                gaps.size() > SHOWN ? ", …" : "");
  }

  private String others() {
    return stores.stream()
        .filter(s -> seats.stream().noneMatch(seat -> at(seat).contains(s)))
        .filter(s -> !s.state().equals("Up") || isEvicted(s))
        .map(s ->
            "store %s at %s is %s"
                .formatted(
                    s.id(),
                    s.address(),
                    s.state().equals("Up") ? "emptied, and may be about to go" : s.state()))
        .sorted()
        .collect(Collectors.joining(", "));
  }

  /** PD calls a store up for a while after its death: whoever empties it knows better. */
  private boolean isEvicted(Store store) {
    return report.evicted().asOptional().filter(ids -> ids.contains(store.id())).isPresent();
  }

  /** For a fence: who leads all of them is not needed. */
  static Fact<String> term(String id, Fact<List<String>> evicted) {
    return Readings.term(id, eviction(id, evicted));
  }
}
