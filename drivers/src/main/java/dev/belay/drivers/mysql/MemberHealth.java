package dev.belay.drivers.mysql;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member.Health;
import dev.belay.drivers.mysql.Server.Channel;
import java.util.List;
import java.util.Optional;

/** Whether one server serves and is caught up. */
final class MemberHealth {

  /**
   * How far a replica may be behind and still count as caught up: a planned switchover waits for
   * it, and for that long nobody can write.
   */
  static final long MAX_LAG = 5;

  private MemberHealth() {}

  static Fact<Health> of(SeatReport report, Fact<SeatReport> leader) {
    if (report.refused()) {
      return Fact.known(Health.down("refuses connections"));
    }
    return report
        .server()
        .flatMap(server -> leader.is(report) ? Fact.known(leads(server)) : follows(server, leader));
  }

  private static Health leads(Server server) {
    return server.readOnly()
        ? new Health(false, "is read-only, and nobody else takes writes")
        : new Health(true, "takes writes");
  }

  private static Fact<Health> follows(Server server, Fact<SeatReport> leader) {
    if (server.channels().size() > 1) {
      return Fact.unknown(
          "replicates from %d sources, which this driver does not sort out"
              .formatted(server.channels().size()));
    }
    if (server.free()) {
      return bad("replicates from nobody");
    }
    Channel channel = server.channels().getFirst();
    if (channel.host().isEmpty()) {
      return Fact.unknown("its replication is configured by half: it has no source");
    }
    return trouble(server, channel)
        .map(MemberHealth::bad)
        .or(() -> diverged(server, leader))
        .orElseGet(() ->
            channel
                .lag()
                .map(lag ->
                    lag > MAX_LAG
                        ? bad(lag + " s behind")
                        : Fact.known(new Health(true, replicates(server, leader))))
                .orElse(Fact.unknown("how far it is behind cannot be told")));
  }

  private static String replicates(Server server, Fact<SeatReport> leader) {
    boolean awaited = leader.flatMap(SeatReport::server).map(p -> p.semiSync().primary()).is(true);
    return awaited && server.receivesOnly()
        ? "replicates, but confirms no commit; "
            + (server.semiSync().replica()
                ? "stop and start its replication once"
                : "switch " + server.semiSync().words().replica + "enabled on")
        : "replicates";
  }

  private static Optional<String> trouble(Server server, Channel channel) {
    String why = channel.trouble().isEmpty() ? "" : ": " + channel.trouble();
    if (!channel.receives()) {
      return Optional.of("does not receive from " + channel.host() + why);
    }
    if (!channel.applies()) {
      return Optional.of("does not apply what it receives" + why);
    }
    if (!channel.byGtid()) {
      return Optional.of(
          "replicates without GTIDs; "
              + (server.flavor() == Flavor.MARIADB
                  ? "CHANGE MASTER TO MASTER_USE_GTID = slave_pos"
                  : "CHANGE REPLICATION SOURCE TO SOURCE_AUTO_POSITION = 1"));
    }
    return server.readOnly()
        ? Optional.empty()
        : Optional.of("replicates, but takes writes of its own; SET GLOBAL read_only = 1");
  }

  /** What it has and the primary has not, or may not have: it would lead with other data. */
  private static Optional<Fact<Health>> diverged(Server server, Fact<SeatReport> leader) {
    Optional<Server> primary = leader.flatMap(SeatReport::server).asOptional();
    List<String> beyond =
        primary.map(p -> server.gtids().beyond(p.gtids(), p.id())).orElse(List.of());
    if (!beyond.isEmpty()) {
      return Optional.of(
          bad(
              "has transactions that the primary lacks: %s; make it anew from a backup of the primary"
                  .formatted(String.join(", ", beyond))));
    }
    List<String> doubtful =
        primary.map(p -> server.gtids().doubtful(p.gtids(), p.id())).orElse(List.of());
    return doubtful.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Fact.unknown(
                ("whether the primary has %s cannot be told, its log knows no such writer; make"
                        + " this one anew from a backup of the primary, or, if their data are the"
                        + " same, STOP SLAVE, RESET MASTER and START SLAVE on it")
                    .formatted(String.join(", ", doubtful))));
  }

  private static Fact<Health> bad(String reading) {
    return Fact.known(new Health(false, reading));
  }
}
