package dev.belay.drivers.mysql;

import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.mysql.Server.SemiSync;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The statements of a switchover in the words of each family. */
record Words(Flavor flavor) {

  /** Waits, but not for ever, until no commit is on its way; after it there is none. */
  List<String> close(Duration patience) {
    return List.of(
        "SET SESSION lock_wait_timeout = " + Math.max(1, patience.toSeconds()),
        flavor == Flavor.MARIADB ? "SET GLOBAL read_only = 1" : "SET GLOBAL super_read_only = 1");
  }

  List<String> open() {
    return flavor == Flavor.MARIADB
        ? List.of("SET GLOBAL read_only = 0")
        : List.of("SET GLOBAL super_read_only = 0", "SET GLOBAL read_only = 0");
  }

  String stop() {
    return flavor == Flavor.MARIADB ? "STOP SLAVE" : "STOP REPLICA";
  }

  String forget() {
    return flavor == Flavor.MARIADB ? "RESET SLAVE ALL" : "RESET REPLICA ALL";
  }

  String start() {
    return flavor == Flavor.MARIADB ? "START SLAVE" : "START REPLICA";
  }

  /** 0 as soon as the server has applied all of that; something else when time is up. */
  String await(Gtids gtids, Duration patience) {
    return "SELECT %s(%s, %d) AS waited"
        .formatted(
            flavor == Flavor.MARIADB ? "MASTER_GTID_WAIT" : "WAIT_FOR_EXECUTED_GTID_SET",
            quoted(gtids.text()),
            Math.max(1, patience.toSeconds()));
  }

  /** How a server that has a source already turns to another one: as the user it has. */
  String turnTo(String host, int port) {
    return flavor == Flavor.MARIADB
        ? "CHANGE MASTER TO MASTER_HOST = %s, MASTER_PORT = %d, MASTER_USE_GTID = slave_pos"
            .formatted(quoted(host), port)
        : "CHANGE REPLICATION SOURCE TO SOURCE_HOST = %s, SOURCE_PORT = %d, SOURCE_AUTO_POSITION = 1"
            .formatted(quoted(host), port);
  }

  /** The same as Belay's own user, with the password that holds now: the old one may not. */
  String turnAsBelay(String host, int port, Optional<DriverConfig.Auth> auth) {
    return turnTo(host, port)
        + (flavor == Flavor.MARIADB
                ? ", MASTER_USER = %s, MASTER_PASSWORD = %s"
                : ", SOURCE_USER = %s, SOURCE_PASSWORD = %s")
            .formatted(
                quoted(auth.map(DriverConfig.Auth::username).orElse("")),
                quoted(auth.map(DriverConfig.Auth::password).orElse("")));
  }

  /** How a former primary begins to follow: as Belay's own user, for it never had another. */
  List<String> begin(String host, int port, DriverConfig config, Server self) {
    String turn = turnAsBelay(host, port, config.auth());
    int tls = config.tls().isPresent() ? 1 : 0;
    return flavor == Flavor.MARIADB
        ? List.of(
            "SET GLOBAL gtid_slave_pos = " + quoted(self.gtids().text()),
            "%s, MASTER_SSL = %d, MASTER_SSL_VERIFY_SERVER_CERT = 0, MASTER_CONNECT_RETRY = 2"
                .formatted(turn, tls))
        : List.of(
            "%s, SOURCE_SSL = %d, GET_SOURCE_PUBLIC_KEY = 1, SOURCE_CONNECT_RETRY = 2"
                .formatted(turn, tls));
  }

  /** A new primary waits for as many replicas, and for as long, as the old one did. */
  static List<String> waitAs(SemiSync old, SemiSync self) {
    if (!old.primary() || self.words() == SemiSync.Words.NONE) {
      return List.of();
    }
    String prefix = "SET GLOBAL " + self.words().primary;
    var statements = new ArrayList<String>();
    if (!old.timeout().isEmpty()) {
      statements.add(prefix + "timeout = " + old.timeout());
    }
    if (old.waitFor() > 1) {
      statements.add(
          prefix
              + (self.words() == SemiSync.Words.SOURCE
                  ? "wait_for_replica_count = "
                  : "wait_for_slave_count = ")
              + old.waitFor());
    }
    statements.add(prefix + "enabled = 1");
    return statements;
  }

  /** A replica that waited for replicas of its own would never get on. */
  static List<String> waitNoMore(SemiSync self) {
    return self.primary()
        ? List.of("SET GLOBAL " + self.words().primary + "enabled = 0")
        : List.of();
  }

  static List<String> confirmAs(SemiSync source, SemiSync self) {
    return (source.replica() || source.primary())
            && !self.replica()
            && self.words() != SemiSync.Words.NONE
        ? List.of("SET GLOBAL " + self.words().replica + "enabled = 1")
        : List.of();
  }

  /** As a literal, whatever is in it. */
  static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
  }
}
