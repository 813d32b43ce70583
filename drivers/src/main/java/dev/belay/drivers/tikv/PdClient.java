package dev.belay.drivers.tikv;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import dev.belay.drivers.wire.Wire;
import java.net.URI;
import java.net.http.HttpRequest;

/** Speaks with one member of PD about the stores; a follower passes nearly all of it on. */
record PdClient(Wire wire, URI base) {

  static final String SCHEDULER = "evict-leader-scheduler";

  /** Any value makes a follower answer for itself instead of passing the question on. */
  private static final String ANSWER_YOURSELF = "PD-Allow-follower-handle";

  /** Which cluster it is of, and who leads that. */
  Reply<JsonNode> members(Deadline deadline) {
    var request = HttpRequest.newBuilder(api("members")).header(ANSWER_YOURSELF, "true").GET();
    return wire.send(request, Wire.Times.AGAIN_IF_CUT, deadline, Wire::json);
  }

  /** Every store but those that are gone for good. */
  Reply<JsonNode> stores(Deadline deadline) {
    return get("stores", deadline);
  }

  Reply<JsonNode> replication(Deadline deadline) {
    return get("config/replicate", deadline);
  }

  /** The schedulers that run. */
  Reply<JsonNode> schedulers(Deadline deadline) {
    return get("schedulers", deadline);
  }

  /** Among much else the schedulers that shall run. */
  Reply<JsonNode> scheduling(Deadline deadline) {
    return get("config/schedule", deadline);
  }

  /** The stores that leaders are moved off; 404 while there is none. */
  Reply<JsonNode> evictions(Deadline deadline) {
    return get("scheduler-config/" + SCHEDULER + "/list", deadline);
  }

  Reply<JsonNode> downPeers(Deadline deadline) {
    return get("regions/check/down-peer", deadline);
  }

  Reply<JsonNode> missingPeers(Deadline deadline) {
    return get("regions/check/miss-peer", deadline);
  }

  /** PD goes through all its regions for this. */
  Reply<JsonNode> regions(Deadline deadline) {
    return get("stats/region", deadline);
  }

  Reply<JsonNode> evict(String store, Deadline deadline) {
    var request =
        HttpRequest.newBuilder(api("schedulers"))
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"name\":\"" + SCHEDULER + "\",\"store_id\":" + store + "}"));
    return wire.send(request, Wire.Times.ONCE, deadline, Wire::anyJson);
  }

  Reply<JsonNode> endEviction(String store, Deadline deadline) {
    var request = HttpRequest.newBuilder(api("schedulers/" + SCHEDULER + "-" + store)).DELETE();
    return wire.send(request, Wire.Times.ONCE, deadline, Wire::anyJson);
  }

  private Reply<JsonNode> get(String path, Deadline deadline) {
    return wire.send(
        HttpRequest.newBuilder(api(path)).GET(), Wire.Times.AGAIN_IF_CUT, deadline, Wire::anyJson);
  }

  private URI api(String path) {
    return base.resolve("/pd/api/v1/" + path);
  }
}
