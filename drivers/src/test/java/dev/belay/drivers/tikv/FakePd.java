package dev.belay.drivers.tikv;

import static dev.belay.drivers.contract.FakeMember.body;

import dev.belay.drivers.contract.FakeMember;
import java.util.Map;

/** Replays what a real PD answered about three stores: pd-0 to pd-2 said the same. */
final class FakePd {

  static final String API = "/pd/api/v1/";
  static final String MEMBERS = API + "members";
  static final String STORES = API + "stores";
  static final String REPLICATE = API + "config/replicate";
  static final String SCHEDULE = API + "config/schedule";
  static final String SCHEDULERS = API + "schedulers";
  static final String EVICTIONS = API + "scheduler-config/evict-leader-scheduler/list";
  static final String DOWN = API + "regions/check/down-peer";
  static final String MISSING = API + "regions/check/miss-peer";
  static final String REGIONS = API + "stats/region";

  private FakePd() {}

  static FakeMember of(String version) {
    FakeMember pd =
        FakeMember.replaying(
            "/tikv",
            version,
            Map.of(
                MEMBERS,
                "members-pd-0.json",
                STORES,
                "stores.json",
                REPLICATE,
                "replicate.json",
                SCHEDULE,
                "schedule.json",
                SCHEDULERS,
                "schedulers.json",
                DOWN,
                "down-peer.json",
                MISSING,
                "miss-peer.json",
                REGIONS,
                "regions.json"));
    return pd.on(EVICTIONS, body(404, pd.recorded("no-evictions.txt")));
  }

  /** As it answered when leaders were moved off tikv-2 and it led nothing any more. */
  static FakeMember evicting(String version) {
    FakeMember pd = of(version);
    return pd.on(STORES, body(200, pd.recorded("stores-evicted.json")))
        .on(SCHEDULE, body(200, pd.recorded("schedule-evicting.json")))
        .on(SCHEDULERS, body(200, pd.recorded("schedulers-evicting.json")))
        .on(EVICTIONS, body(200, pd.recorded("evictions.json")))
        .on(REGIONS, body(200, pd.recorded("regions-evicted.json")));
  }
}
