package dev.belay.drivers.pd;

import dev.belay.drivers.contract.FakeMember;
import java.util.Map;

/** Where real PD members were recorded. */
final class FakePd {

  static final String RAFT = "/v3/maintenance/status";
  static final String MEMBERS = "/pd/api/v1/members";
  static final String HEALTH = "/pd/api/v1/health";
  static final String PING = "/pd/api/v1/ping";
  static final String VERSION = "/pd/api/v1/version";
  static final String TRANSFER = "/pd/api/v1/leader/transfer/";
  static final String RESIGN = "/pd/api/v1/leader/resign";

  private static final Map<String, String> RECORDED =
      Map.of(
          RAFT, "raft.json",
          MEMBERS, "members.json",
          HEALTH, "health.json",
          VERSION, "version.json");

  private FakePd() {}

  static FakeMember replaying(String version, String name) {
    return FakeMember.replaying("/pd/" + version, name, RECORDED)
        .on(PING, FakeMember.body(200, ""));
  }
}
