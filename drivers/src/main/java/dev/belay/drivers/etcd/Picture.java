package dev.belay.drivers.etcd;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.drivers.etcd.Answers.Listed;
import dev.belay.drivers.etcd.Answers.MemberList;
import dev.belay.drivers.etcd.Answers.Status;
import dev.belay.drivers.wire.Hosts;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts what the seats answered together into one topology, or says why that cannot be done. */
final class Picture {

  private final List<SeatReport> reports;
  private final MemberList list;

  private Picture(List<SeatReport> reports, MemberList list) {
    this.reports = reports;
    this.list = list;
  }

  static Fact<Topology> of(List<SeatReport> reports) {
    if (reports.stream().noneMatch(r -> r.status() instanceof Fact.Known)) {
      return Fact.unknown("no member answers: " + troubles(reports, SeatReport::status));
    }
    return oneCluster(reports)
        .flatMap(id -> oneList(reports, id))
        .map(list -> new Picture(reports, list).topology());
  }

  /** Every answer comes from the same cluster, and every seat is another member. */
  private static Fact<String> oneCluster(List<SeatReport> reports) {
    var clusters = new LinkedHashMap<String, String>();
    var members = new LinkedHashMap<String, String>();
    for (SeatReport r : reports) {
      if (r.status() instanceof Fact.Known<Status>(Status s)) {
        clusters.putIfAbsent(s.clusterId(), r.seat().pod());
        String twin = members.putIfAbsent(s.memberId(), r.seat().pod());
        if (twin != null) {
          return Fact.unknown(
              twin + " and " + r.seat().pod() + " both answer as member " + s.memberId());
        }
      }
    }
    if (clusters.size() > 1) {
      return Fact.unknown(
          clusters.entrySet().stream()
              .map(e -> e.getValue() + " is of cluster " + e.getKey())
              .collect(Collectors.joining(", ")));
    }
    return Fact.known(clusters.keySet().iterator().next());
  }

  /** The members as a quorum has them: without quorum nobody can say who belongs. */
  private static Fact<MemberList> oneList(List<SeatReport> reports, String clusterId) {
    List<MemberList> lists =
        reports.stream().flatMap(r -> r.members().asOptional().stream()).distinct().toList();
    if (lists.isEmpty()) {
      return Fact.unknown(
          "no quorum confirms the member list: " + troubles(reports, SeatReport::members));
    }
    MemberList first = lists.getFirst();
    if (!first.clusterId().equals(clusterId)) {
      return Fact.unknown(
          "the member list is of cluster " + first.clusterId() + ", the members of " + clusterId);
    }
    return lists.size() == 1
        ? Fact.known(first)
        : Fact.unknown("the member list changes while it is read");
  }

  private static String troubles(
      List<SeatReport> reports, Function<SeatReport, ? extends Fact<?>> question) {
    return reports.isEmpty()
        ? "there is no pod to ask"
        : reports.stream()
            .flatMap(r ->
                question.apply(r) instanceof Fact.Unknown<?> unknown
                    ? Stream.of(r.seat().pod() + " " + unknown.why())
                    : Stream.empty())
            .collect(Collectors.joining("; "));
  }

  private Topology topology() {
    Fact<Leader> leader = leader();
    List<Listed> voters = list.members().stream().filter(m -> !m.learner()).toList();
    return new Topology(
        list.clusterId(),
        list.members().stream()
            .sorted(Comparator.comparing(Listed::name).thenComparing(Listed::id))
            .map(m -> member(m, leader))
            .toList(),
        leader,
        List.of(
            new Group("voters", voters.stream().map(Listed::id).toList(), voters.size() / 2 + 1)));
  }

  /**
   * Every voter that answers names the same leader in the same term, or nobody is known to lead.
   */
  private Fact<Leader> leader() {
    var claims = new LinkedHashMap<Leader, String>();
    for (SeatReport r : reports) {
      if (r.status() instanceof Fact.Known<Status>(Status s) && !s.learner()) {
        claims.putIfAbsent(new Leader(s.leader(), s.term()), r.seat().pod());
      }
    }
    for (var claim : claims.entrySet()) {
      if (claim.getKey().memberId().equals("0")) {
        return Fact.unknown(claim.getValue() + " sees no leader in term " + claim.getKey().term());
      }
    }
    if (claims.size() > 1) {
      return Fact.unknown(
          claims.entrySet().stream()
              .map(c -> c.getValue() + " says " + named(c.getKey()))
              .collect(Collectors.joining(", ")));
    }
    if (claims.isEmpty()) {
      return Fact.unknown("no voter answers");
    }
    Leader leader = claims.keySet().iterator().next();
    return list.members().stream().anyMatch(m -> !m.learner() && m.id().equals(leader.memberId()))
        ? Fact.known(leader)
        : Fact.unknown("the leader " + leader.memberId() + " is not among the voters");
  }

  private String named(Leader leader) {
    String name =
        list.members().stream()
            .filter(m -> m.id().equals(leader.memberId()) && !m.name().isEmpty())
            .map(Listed::name)
            .findFirst()
            .orElse(leader.memberId());
    return name + " in term " + leader.term();
  }

  private Member member(Listed m, Fact<Leader> leader) {
    Optional<SeatReport> report = reportOf(m);
    return new Member(
        m.id(),
        m.name(),
        hosts(m),
        role(m, leader),
        MemberHealth.of(m, report, reports),
        report.map(Picture::version).orElse(Fact.unknown(MemberHealth.NOT_ASKED)),
        report.map(this::readings).orElse(Map.of()));
  }

  private static Role role(Listed m, Fact<Leader> leader) {
    if (m.learner()) {
      return Role.LEARNER;
    }
    return switch (leader) {
      case Fact.Known<Leader>(Leader l) ->
          l.memberId().equals(m.id()) ? Role.LEADER : Role.FOLLOWER;
      case Fact.Unknown<Leader> unknown -> Role.UNKNOWN;
    };
  }

  private static Fact<String> version(SeatReport r) {
    return r.status()
        .flatMap(s -> s.version().isEmpty() ? Fact.unknown("no version") : Fact.known(s.version()))
        .asOptional()
        .<Fact<String>>map(Fact::known)
        .orElse(r.serverVersion());
  }

  private Map<String, Fact<String>> readings(SeatReport r) {
    return Map.of(
        Readings.CLUSTER_VERSION,
        r.clusterVersion(),
        Readings.STORAGE_VERSION,
        r.status()
            .flatMap(s ->
                s.storageVersion().isEmpty()
                    ? Fact.unknown("etcd " + s.version() + " reports no storage version")
                    : Fact.known(s.storageVersion())),
        Readings.SNAPSHOTS_SAVED,
        r.metric(Metrics.SNAPSHOTS_SAVED),
        Readings.PROCESS_START,
        r.metric(Metrics.PROCESS_START),
        Readings.LAG,
        r.status().map(s -> Long.toString(MemberHealth.lag(s, reports))));
  }

  /** By the id it answers with; when it is silent, by name, else by address. */
  private Optional<SeatReport> reportOf(Listed m) {
    return reports.stream()
        .filter(r -> r.status().map(Status::memberId).is(m.id()))
        .findFirst()
        .or(() -> silent(r -> !m.name().isEmpty() && r.seat().memberName().equals(m.name())))
        .or(() -> silent(r -> hosts(m).contains(Hosts.of(r.seat()))));
  }

  private Optional<SeatReport> silent(Predicate<SeatReport> mine) {
    List<SeatReport> found =
        reports.stream()
            .filter(r -> r.status() instanceof Fact.Unknown<Status>)
            .filter(mine)
            .toList();
    return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
  }

  private static List<String> hosts(Listed m) {
    return Hosts.of(m.urls());
  }
}
