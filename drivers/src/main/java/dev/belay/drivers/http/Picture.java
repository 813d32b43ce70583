package dev.belay.drivers.http;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.drivers.wire.Hosts;
import dev.belay.drivers.wire.Wire;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts what the seats answered together into one topology, or says why that cannot be done. */
final class Picture {

  /** One member: its name, and what was heard at its seat if it has one. */
  record Seated(String name, Optional<SeatReport> report) {

    boolean votes() {
      return report.filter(SeatReport::knownNotToVote).isEmpty();
    }
  }

  private final Declaration declared;
  private final String clusterId;
  private final List<Seated> members;
  private final Fact<Leader> leader;

  private Picture(
      Declaration declared, String clusterId, List<Seated> members, Fact<Leader> leader) {
    this.declared = declared;
    this.clusterId = clusterId;
    this.members = members;
    this.leader = leader;
  }

  static Fact<Topology> of(Declaration declared, List<SeatReport> reports) {
    if (reports.stream().noneMatch(SeatReport::answered)) {
      return Fact.unknown(
          "no member answers: "
              + (reports.isEmpty()
                  ? "there is no pod to ask"
                  : reports.stream().map(SeatReport::silence).collect(Collectors.joining("; "))));
    }
    return everySeatHasItsName(reports)
        .flatMap(_ -> oneCluster(reports))
        .flatMap(id ->
            members(declared, reports)
                .map(members ->
                    new Picture(declared, id, members, Leading.of(declared, reports)).topology()));
  }

  private static Fact<String> everySeatHasItsName(List<SeatReport> reports) {
    var names = new HashSet<String>();
    return reports.stream()
        .filter(r -> !names.add(r.seat().memberName()))
        .findFirst()
        .<Fact<String>>map(r ->
            Fact.unknown(
                "driver.memberName calls two pods %s; let it contain {pod}"
                    .formatted(r.seat().memberName())))
        .orElse(Fact.known(""));
  }

  /** Every answer comes from the same cluster. */
  private static Fact<String> oneCluster(List<SeatReport> reports) {
    var clusters = new LinkedHashMap<String, String>();
    for (SeatReport r : reports) {
      if (r.clusterId() instanceof Fact.Known<String>(String id)) {
        clusters.putIfAbsent(id, r.pod());
      }
    }
    return switch (clusters.size()) {
      case 0 ->
          Fact.unknown("no member tells its cluster: " + troubles(reports, SeatReport::clusterId));
      case 1 -> Fact.known(clusters.keySet().iterator().next());
      default ->
          Fact.unknown(
              clusters.entrySet().stream()
                  .map(e -> e.getValue() + " is of cluster " + e.getKey())
                  .collect(Collectors.joining(", ")));
    };
  }

  /** The members by the system's own list, where one is declared; else every seat is one. */
  private static Fact<List<Seated>> members(Declaration declared, List<SeatReport> reports) {
    if (declared.members().isEmpty()) {
      return Fact.known(
          reports.stream().map(r -> new Seated(r.seat().memberName(), Optional.of(r))).toList());
    }
    var lists = new LinkedHashMap<List<String>, String>();
    for (SeatReport r : reports) {
      r.list(declared.members().get())
          .asOptional()
          .ifPresent(list -> lists.putIfAbsent(list, r.pod()));
    }
    return switch (lists.size()) {
      case 0 ->
          Fact.unknown(
              "nobody lists the members: "
                  + troubles(reports, r -> r.list(declared.members().get())));
      case 1 -> matched(lists.keySet().iterator().next(), reports);
      default ->
          Fact.unknown(
              lists.entrySet().stream()
                  .map(e -> e.getValue() + " lists " + Wire.clip(String.join(", ", e.getKey())))
                  .collect(Collectors.joining("; ")));
    };
  }

  private static Fact<List<Seated>> matched(List<String> names, List<SeatReport> reports) {
    var members = new ArrayList<Seated>();
    var taken = new HashSet<String>();
    for (String name : names) {
      List<SeatReport> meant = Names.meant(name, reports, SeatReport::seat);
      Optional<SeatReport> report = meant.stream().findFirst();
      if (meant.size() > 1 || !report.map(r -> taken.add(r.pod())).orElse(true)) {
        return Fact.unknown("two entries of the member list are " + meant.getFirst().pod());
      }
      members.add(new Seated(report.map(r -> r.seat().memberName()).orElse(name), report));
    }
    return Fact.known(members);
  }

  static String troubles(
      List<SeatReport> reports, Function<SeatReport, ? extends Fact<?>> question) {
    return reports.stream()
        .flatMap(r ->
            question.apply(r) instanceof Fact.Unknown<?> unknown
                ? Stream.of(r.pod() + " " + unknown.why())
                : Stream.empty())
        .collect(Collectors.joining("; "));
  }

  private Topology topology() {
    List<String> voters = members.stream().filter(Seated::votes).map(Seated::name).toList();
    return new Topology(
        clusterId,
        members.stream().map(this::member).sorted(Comparator.comparing(Member::name)).toList(),
        leader,
        List.of(
            new Group(
                declared.leadership().isPresent() ? "voters" : "members",
                voters,
                declared.minHealthy().orElse(voters.size() / 2 + 1))));
  }

  private Member member(Seated member) {
    Role role = role(member);
    return new Member(
        member.name(),
        member.name(),
        member.report().map(r -> List.of(Hosts.of(r.seat()))).orElse(List.of()),
        role,
        MemberHealth.of(member, role == Role.LEADER),
        member.report().map(SeatReport::version).orElse(Fact.unknown(MemberHealth.NOT_ASKED)),
        readings(member));
  }

  private Role role(Seated member) {
    Role own = member.report().flatMap(r -> r.role().asOptional()).orElse(Role.UNKNOWN);
    if (declared.leadership().isEmpty() || own == Role.LEARNER) {
      return own;
    }
    return switch (leader) {
      case Fact.Known<Leader>(Leader l) -> l.memberId().equals(member.name()) ? Role.LEADER : own;
      case Fact.Unknown<Leader> _ -> Role.UNKNOWN;
    };
  }

  private static Map<String, Fact<String>> readings(Seated member) {
    return member
        .report()
        .flatMap(r -> r.lag().asOptional())
        .flatMap(lag -> lag)
        .<Map<String, Fact<String>>>map(
            lag -> Map.of(HttpPolicy.LAG, Fact.known(lag.toPlainString())))
        .orElse(Map.of());
  }
}
