package dev.belay.drivers.etcd;

import dev.belay.drivers.contract.FakeMember;
import java.util.Map;

/** Where real etcd members were recorded. */
final class FakeEtcd {

  static final String STATUS = "/v3/maintenance/status";
  static final String MEMBERS = "/v3/cluster/member/list";
  static final String ALARMS = "/v3/maintenance/alarm";
  static final String TRANSFER = "/v3/maintenance/transfer-leadership";
  static final String LOGIN = "/v3/auth/authenticate";
  static final String HEALTH = "/health";
  static final String VERSION = "/version";
  static final String METRICS = "/metrics";

  private static final Map<String, String> RECORDED =
      Map.of(
          STATUS, "status.json",
          MEMBERS, "members.json",
          ALARMS, "alarms.json",
          HEALTH, "health.json",
          VERSION, "version.json",
          METRICS, "metrics.txt");

  private FakeEtcd() {}

  static FakeMember replaying(String version, String name) {
    return FakeMember.replaying("/etcd/" + version, name, RECORDED);
  }
}
