package dev.belay.drivers.mysql;

import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Member.Health;
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
    Optional<String> trouble = trouble(server, channel).or(() -> errant(server, leader));
    return trouble
        .map(MemberHealth::bad)
        .orElseGet(() ->
            channel
                .lag()
                .map(lag ->
                    lag > MAX_LAG
                        ? bad(lag + " s behind")
                        : Fact.known(new Health(true, "replicates")))
                .orElse(Fact.unknown("how far it is behind cannot be told")));
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

  private static Optional<String> errant(Server server, Fact<SeatReport> leader) {
    List<String> beyond =
        leader
            .flatMap(SeatReport::server)
            .map(primary -> server.gtids().beyond(primary.gtids(), primary.id()))
            .asOptional()
            .orElse(List.of());
    return beyond.isEmpty()
        ? Optional.empty()
        : Optional.of("has transactions that the primary lacks: " + String.join(", ", beyond));
  }

  private static Fact<Health> bad(String reading) {
    return Fact.known(new Health(false, reading));
  }
}
