package dev.belay.drivers.bookkeeper;

import dev.belay.drivers.contract.FakeMember;
import java.util.Map;

/** Where real bookies were recorded. */
final class FakeBookie {

  static final String STATE = "/api/v1/bookie/state";
  static final String READY = "/api/v1/bookie/is_ready";
  static final String CLUSTER = "/api/v1/bookie/cluster_info";
  static final String WRITABLE = "/api/v1/bookie/list_bookies?type=rw";
  static final String READ_ONLY = "/api/v1/bookie/list_bookies?type=ro";
  static final String LEDGERS = "/api/v1/autorecovery/list_under_replicated_ledger";
  static final String DELAY = "/api/v1/autorecovery/lost_bookie_recovery_delay";
  static final String SET_READ_ONLY = "/api/v1/bookie/state/readonly";
  static final String SET_AUTORECOVERY = "/api/v1/autorecovery/status";

  private static final Map<String, String> RECORDED =
      Map.of(
          STATE, "state.json",
          READY, "is_ready.txt",
          CLUSTER, "cluster_info.json",
          WRITABLE, "rw.json",
          READ_ONLY, "ro.json",
          DELAY, "delay.txt");

  private FakeBookie() {}

  /** Its good news comes with status 404. */
  static FakeMember replaying(String version, String name) {
    FakeMember bookie = FakeMember.replaying("/bookkeeper/" + version, name, RECORDED);
    return bookie.on(LEDGERS, FakeMember.body(404, bookie.recorded("under_replicated.txt")));
  }
}
