package dev.belay.drivers.mysql;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.drivers.mysql.Server.Channel;
import dev.belay.drivers.wire.Hosts;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts together what the seats answered. */
final class Picture {

  private final Relations relations;
  private final Fact<SeatReport> leader;
  private final String clusterId;

  private Picture(Relations relations, String clusterId) {
    this.relations = relations;
    this.clusterId = clusterId;
    this.leader = leader(relations);
  }

  static Fact<Topology> of(List<SeatReport> reports) {
    var relations = new Relations(reports);
    if (relations.heard().isEmpty()) {
      return Fact.unknown(
          "no member answers: "
              + (reports.isEmpty()
                  ? "there is no pod to ask"
                  : reports.stream().flatMap(Picture::trouble).collect(Collectors.joining("; "))));
    }
    return twins(relations)
        .<Fact<Topology>>map(Fact::unknown)
        .orElseGet(() -> oneCluster(relations).map(id -> new Picture(relations, id).topology()));
  }

  private static Stream<String> trouble(SeatReport r) {
    return r.server() instanceof Fact.Unknown<Server>(String why)
        ? Stream.of(r.seat().pod() + " " + why)
        : Stream.empty();
  }

  /** Two servers with one id cannot replicate with each other, or are one server asked twice. */
  private static Optional<String> twins(Relations relations) {
    var pods = new LinkedHashMap<String, String>();
    for (SeatReport r : relations.heard()) {
      String twin = pods.putIfAbsent(r.id(), r.seat().pod());
      if (twin != null) {
        return Optional.of(twin + " and " + r.seat().pod() + " both answer as server " + r.id());
      }
    }
    return Optional.empty();
  }

  /**
   * Servers have no id of their cluster. Those of one cluster have transactions of the same
   * writers, or none yet; the first writer that all have in common names the cluster.
   */
  private static Fact<String> oneCluster(Relations relations) {
    List<SeatReport> written =
        relations.heard().stream()
            .filter(r -> !relations.server(r).gtids().origins().isEmpty())
            .toList();
    if (written.isEmpty()) {
      return Fact.known("nothing written yet");
    }
    var common = new TreeSet<>(relations.server(written.getFirst()).gtids().origins());
    for (SeatReport r : written) {
      common.retainAll(relations.server(r).gtids().origins());
      if (common.isEmpty()) {
        return Fact.unknown(
            "%s is of the writers %s, %s is of the writers %s: they are no one cluster"
                .formatted(
                    written.getFirst().seat().pod(),
                    writers(relations, written.getFirst()),
                    r.seat().pod(),
                    writers(relations, r)));
      }
    }
    return Fact.known(common.first());
  }

  private static String writers(Relations relations, SeatReport r) {
    return String.join(" ", new TreeSet<>(relations.server(r).gtids().origins()));
  }

  /**
   * The one server that takes writes and replicates from nobody, at which all replication ends.
   * While nobody takes writes, it is the one at which all replication ends.
   */
  private static Fact<SeatReport> leader(Relations relations) {
    for (SeatReport r : relations.heard()) {
      Optional<String> unclear = unclear(relations, r);
      if (unclear.isPresent()) {
        return Fact.unknown(r.seat().pod() + " " + unclear.get());
      }
    }
    List<SeatReport> open = relations.heard().stream().filter(r -> server(r).open()).toList();
    List<SeatReport> ends =
        open.isEmpty() ? relations.heard().stream().filter(r -> server(r).free()).toList() : open;
    if (ends.size() != 1) {
      return Fact.unknown(
          ends.isEmpty()
              ? "nobody who answers is a primary"
              : "%s %s"
                  .formatted(
                      names(ends),
                      open.isEmpty()
                          ? "replicate from nobody, and nobody takes writes"
                          : "all take writes"));
    }
    return confirmed(relations, ends.getFirst());
  }

  private static Fact<SeatReport> confirmed(Relations relations, SeatReport leader) {
    List<SeatReport> followers =
        relations.heard().stream()
            .filter(r -> !r.equals(leader) && relations.source(r).isPresent())
            .toList();
    for (SeatReport r : followers) {
      Optional<SeatReport> root = relations.root(r);
      if (root.isEmpty() || !root.get().equals(leader)) {
        return Fact.unknown(
            "%s takes writes or should, but %s follows %s"
                .formatted(
                    leader.seat().pod(),
                    r.seat().pod(),
                    root.map(x -> x.seat().pod()).orElse("itself in a circle")));
      }
    }
    boolean silence = relations.heard().size() < relations.reports().size();
    return silence && followers.isEmpty()
        ? Fact.unknown("nobody who answers follows " + leader.seat().pod())
        : Fact.known(leader);
  }

  /** What makes it impossible to tell what a server is. */
  private static Optional<String> unclear(Relations relations, SeatReport r) {
    List<Channel> channels = server(r).channels();
    if (channels.size() > 1) {
      return Optional.of("replicates from " + channels.size() + " sources");
    }
    return channels.stream()
        .filter(c -> relations.source(r).isEmpty())
        .map(c ->
            c.host().isEmpty()
                ? "is configured to replicate, but not from where"
                : "replicates from %s:%d, which is no pod of this component"
                    .formatted(c.host(), c.port()))
        .findFirst();
  }

  private static String names(List<SeatReport> reports) {
    return reports.stream().map(r -> r.seat().pod()).collect(Collectors.joining(" and "));
  }

  private static Server server(SeatReport report) {
    return report.server().asOptional().orElseThrow();
  }

  private Topology topology() {
    List<SeatReport> reports = relations.reports();
    return new Topology(
        clusterId,
        reports.stream().sorted(Comparator.comparing(SeatReport::name)).map(this::member).toList(),
        leader.map(l -> new Leader(l.id(), relations.roles())),
        List.of(new Group("in sync", inSync(), required())));
  }

  /** Where a commit waits for replicas, those that never confirm one are no part of it. */
  private List<String> inSync() {
    return relations.reports().stream()
        .filter(r -> !(waits() && r.server().asOptional().filter(Server::receivesOnly).isPresent()))
        .map(SeatReport::id)
        .toList();
  }

  private boolean waits() {
    return relations.heard().stream().anyMatch(r -> server(r).semiSync().primary());
  }

  /** A commit that waits for replicas needs them; one that does not needs the primary alone. */
  private int required() {
    return 1
        + relations.heard().stream()
            .map(r -> server(r).semiSync())
            .filter(Server.SemiSync::primary)
            .map(Server.SemiSync::waitFor)
            .max(Comparator.naturalOrder())
            .orElse(0);
  }

  private Member member(SeatReport r) {
    return new Member(
        r.id(),
        r.name(),
        List.of(Hosts.of(r.seat())),
        role(r),
        MemberHealth.of(r, leader),
        r.server().map(Server::version),
        readings(r));
  }

  private Role role(SeatReport r) {
    if (leader instanceof Fact.Unknown<SeatReport>) {
      return Role.UNKNOWN;
    }
    return leader.is(r) ? Role.LEADER : Role.FOLLOWER;
  }

  private Map<String, Fact<String>> readings(SeatReport r) {
    var readings = new HashMap<String, Fact<String>>();
    Fact<Server> server = r.server();
    readings.put(Readings.FLAVOR, server.map(s -> s.flavor().name()));
    readings.put(Readings.READ_ONLY, server.map(s -> Boolean.toString(s.readOnly())));
    readings.put(Readings.STARTS, server.flatMap(Picture::starts));
    readings.put(Readings.LOGS, server.map(s -> Boolean.toString(s.logs())));
    readings.put(Readings.POSITION, server.map(s -> s.gtids().whole()));
    readings.put(Readings.SOURCE, server.flatMap(s -> source(r, s)));
    readings.put(
        Readings.SOURCE_ADDRESS,
        server.map(s -> s.channel().map(c -> c.host() + ":" + c.port()).orElse("")));
    readings.put(
        Readings.RUNS,
        server.map(s -> Boolean.toString(s.channels().stream().anyMatch(c -> !c.stopped()))));
    readings.put(Readings.LAG, server.flatMap(Picture::lag));
    readings.put(Readings.ROLES, Fact.known(relations.roles()));
    return Collections.unmodifiableMap(readings);
  }

  private static Fact<String> starts(Server server) {
    return server
        .startsReadOnly()
        .map(readOnly -> Fact.known(readOnly ? "read-only" : "writable"))
        .orElse(Fact.unknown("read_only was set by SQL since the server started"));
  }

  private Fact<String> source(SeatReport r, Server server) {
    if (server.free()) {
      return Fact.known("");
    }
    return relations
        .source(r)
        .map(s -> Fact.known(s.name()))
        .orElse(Fact.unknown("its source is no pod of this component, or not one alone"));
  }

  private static Fact<String> lag(Server server) {
    return server.channels().stream()
        .findFirst()
        .map(c -> c.lag().map(l -> Fact.known(Long.toString(l))).orElse(Fact.unknown("no lag")))
        .orElse(Fact.known("0"));
  }
}
