package dev.belay.drivers.pd;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.drivers.pd.Answers.Listed;
import dev.belay.drivers.pd.Answers.MemberList;
import dev.belay.drivers.pd.Answers.Raft;
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
  private final String clusterId;
  private final List<Listed> list;

  private Picture(List<SeatReport> reports, String clusterId, List<Listed> list) {
    this.reports = reports;
    this.clusterId = clusterId;
    this.list = list;
  }

  static Fact<Topology> of(List<SeatReport> reports) {
    if (reports.stream().noneMatch(r -> r.raft() instanceof Fact.Known)) {
      return Fact.unknown("no member answers: " + troubles(reports, SeatReport::raft));
    }
    return oneEtcd(reports)
        .flatMap(etcd -> oneCluster(reports))
        .flatMap(id -> oneList(reports).map(list -> new Picture(reports, id, list).topology()));
  }

  /** The etcds form one cluster, and every seat is another member of it. */
  private static Fact<String> oneEtcd(List<SeatReport> reports) {
    var members = new LinkedHashMap<String, String>();
    for (SeatReport r : reports) {
      if (r.raft() instanceof Fact.Known<Raft>(Raft raft)) {
        String twin = members.putIfAbsent(raft.memberId(), r.seat().pod());
        if (twin != null) {
          return Fact.unknown(
              twin + " and " + r.seat().pod() + " both answer as member " + raft.memberId());
        }
      }
    }
    return one(reports, r -> r.raft().map(Raft::clusterId), id -> "is of etcd cluster " + id);
  }

  /** Etcd derives its id from names, which two clusters may share; PD draws its own. */
  private static Fact<String> oneCluster(List<SeatReport> reports) {
    return reports.stream().noneMatch(r -> r.members() instanceof Fact.Known)
        ? Fact.unknown(
            "no quorum confirms the member list: " + troubles(reports, SeatReport::members))
        : one(reports, r -> r.members().map(MemberList::clusterId), id -> "is of cluster " + id);
  }

  /** What all seats that answer say; when they differ, who says what. */
  private static Fact<String> one(
      List<SeatReport> reports,
      Function<SeatReport, Fact<String>> question,
      Function<String, String> words) {
    var said = new LinkedHashMap<String, String>();
    reports.forEach(
        r -> question.apply(r).asOptional().ifPresent(id -> said.putIfAbsent(id, r.seat().pod())));
    return said.size() == 1
        ? Fact.known(said.keySet().iterator().next())
        : Fact.unknown(
            said.entrySet().stream()
                .map(e -> e.getValue() + " " + words.apply(e.getKey()))
                .collect(Collectors.joining(", ")));
  }

  private static Fact<List<Listed>> oneList(List<SeatReport> reports) {
    List<List<Listed>> lists =
        reports.stream()
            .flatMap(r -> r.members().asOptional().stream())
            .map(MemberList::members)
            .toList();
    long different =
        lists.stream()
            .map(l -> l.stream().collect(Collectors.toMap(Listed::id, Listed::name, (a, b) -> a)))
            .distinct()
            .count();
    return different == 1
        ? Fact.known(lists.getFirst())
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
    List<String> voters = list.stream().filter(m -> !learner(m)).map(Listed::id).toList();
    return new Topology(
        clusterId,
        list.stream()
            .sorted(Comparator.comparing(Listed::name).thenComparing(Listed::id))
            .map(m -> member(m, leader))
            .toList(),
        leader,
        List.of(new Group("voters", voters, voters.size() / 2 + 1)));
  }

  /**
   * PD has two leaders, its own and that of its etcd, and both must be one: every member that
   * answers names the same of each, in the same term of etcd.
   */
  private Fact<Leader> leader() {
    return etcdLeader()
        .flatMap(etcd ->
            pdLeader()
                .flatMap(pd ->
                    pd.equals(etcd.memberId())
                        ? Fact.known(etcd)
                        : Fact.unknown(
                            "PD is led by %s, its etcd by %s: leadership is on its way"
                                .formatted(name(pd), name(etcd.memberId())))));
  }

  private Fact<Leader> etcdLeader() {
    var claims = new LinkedHashMap<Leader, String>();
    for (SeatReport r : reports) {
      if (r.raft() instanceof Fact.Known<Raft>(Raft raft) && !raft.learner()) {
        claims.putIfAbsent(new Leader(raft.leader(), raft.term()), r.seat().pod());
      }
    }
    for (var claim : claims.entrySet()) {
      if (claim.getKey().memberId().equals("0")) {
        return Fact.unknown(
            "the etcd of %s sees no leader in term %s"
                .formatted(claim.getValue(), claim.getKey().term()));
      }
    }
    if (claims.size() > 1) {
      return Fact.unknown(
          claims.entrySet().stream()
              .map(c ->
                  "the etcd of %s says %s in term %s"
                      .formatted(c.getValue(), name(c.getKey().memberId()), c.getKey().term()))
              .collect(Collectors.joining(", ")));
    }
    if (claims.isEmpty()) {
      return Fact.unknown("no voter answers");
    }
    Leader leader = claims.keySet().iterator().next();
    return list.stream().anyMatch(m -> m.id().equals(leader.memberId()) && !learner(m))
        ? Fact.known(leader)
        : Fact.unknown("the leader " + leader.memberId() + " is not among the voters");
  }

  private Fact<String> pdLeader() {
    for (SeatReport r : reports) {
      if (r.members().asOptional().filter(l -> l.leader().isEmpty()).isPresent()) {
        return Fact.unknown(r.seat().pod() + " sees no leader of PD");
      }
    }
    return one(
            reports,
            r -> r.members().map(l -> l.leader().orElse("")),
            id -> "says that PD is led by " + name(id))
        .flatMap(id ->
            list.stream().anyMatch(m -> m.id().equals(id))
                ? Fact.known(id)
                : Fact.unknown("the leader of PD, " + id + ", is no member"));
  }

  private String name(String id) {
    return list.stream()
        .filter(m -> m.id().equals(id) && !m.name().isEmpty())
        .map(Listed::name)
        .findFirst()
        .orElse(id);
  }

  /**
   * A silent member counts as a voter: a group taken too large protects too much, not too little.
   */
  private boolean learner(Listed m) {
    return reportOf(m).flatMap(r -> r.raft().asOptional()).filter(Raft::learner).isPresent();
  }

  private Member member(Listed m, Fact<Leader> leader) {
    Optional<SeatReport> report = reportOf(m);
    return new Member(
        m.id(),
        m.name(),
        Hosts.of(m.urls()),
        role(m, leader),
        MemberHealth.of(m, report, reports),
        report.map(SeatReport::version).orElse(Fact.unknown(MemberHealth.NOT_ASKED)),
        Map.of(
            Readings.LEADER_PRIORITY,
            priority(m),
            Readings.LAG,
            report
                .map(r -> r.raft().map(raft -> Long.toString(MemberHealth.lag(raft, reports))))
                .orElse(Fact.unknown(MemberHealth.NOT_ASKED))));
  }

  private Role role(Listed m, Fact<Leader> leader) {
    if (learner(m)) {
      return Role.LEARNER;
    }
    return switch (leader) {
      case Fact.Known<Leader>(Leader l) ->
          l.memberId().equals(m.id()) ? Role.LEADER : Role.FOLLOWER;
      case Fact.Unknown<Leader> unknown -> Role.UNKNOWN;
    };
  }

  /** PD leaves priorities out while its etcd has no leader: that is no priority of 0. */
  private Fact<String> priority(Listed m) {
    List<Integer> said =
        reports.stream()
            .flatMap(r -> r.members().asOptional().stream())
            .filter(l -> l.etcdLeader().isPresent())
            .flatMap(l -> l.members().stream().filter(other -> other.id().equals(m.id())))
            .map(Listed::priority)
            .distinct()
            .toList();
    return switch (said.size()) {
      case 0 -> Fact.unknown("no member with a leader tells the priorities");
      case 1 -> Fact.known(Integer.toString(said.getFirst()));
      default -> Fact.unknown("the leader priority changes while it is read");
    };
  }

  /** By the id it answers with; when it is silent, by name, else by address. */
  private Optional<SeatReport> reportOf(Listed m) {
    return reports.stream()
        .filter(r -> r.raft().map(Raft::memberId).is(m.id()))
        .findFirst()
        .or(() -> silent(r -> !m.name().isEmpty() && r.seat().memberName().equals(m.name())))
        .or(() -> silent(r -> Hosts.of(m.urls()).contains(Hosts.of(r.seat()))));
  }

  private Optional<SeatReport> silent(Predicate<SeatReport> mine) {
    List<SeatReport> found =
        reports.stream().filter(r -> r.raft() instanceof Fact.Unknown<Raft>).filter(mine).toList();
    return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
  }
}
