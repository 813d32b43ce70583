package dev.belay.drivers.pd;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import dev.belay.drivers.wire.Wire;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;

/** Speaks with one member: PD's HTTP API, and the gateway of the etcd that lives in it. */
final class PdClient {

  /** Any value makes a follower answer for itself instead of passing the question on. */
  private static final String ANSWER_YOURSELF = "PD-Allow-follower-handle";

  /** PD takes such a request for one that was passed on already: who does not lead refuses it. */
  private static final String PASSED_ON_BY = "PD-Redirector";

  private final Wire wire;
  private final URI base;

  PdClient(Wire wire, URI base) {
    this.wire = wire;
    this.base = base;
  }

  /** What the member's etcd says about itself. */
  Reply<JsonNode> raft(Deadline deadline) {
    var request =
        HttpRequest.newBuilder(base.resolve("/v3/maintenance/status"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{}"));
    return wire.send(request, Wire.Times.AGAIN_IF_CUT, deadline, Wire::json);
  }

  /** The members and both leaders as this member sees them; PD reads them from a quorum. */
  Reply<JsonNode> members(Deadline deadline) {
    return get("members", deadline, Wire::json);
  }

  /** PD's own check: this member pings all. It takes 3 s for each one that is silent. */
  Reply<JsonNode> health(Deadline deadline) {
    return get("health", deadline, Wire::anyJson);
  }

  /** Whether PD itself answers; there is nothing in the answer. */
  Reply<Boolean> ping(Deadline deadline) {
    return get("ping", deadline, in -> new Reply.Ok<>(true));
  }

  Reply<JsonNode> version(Deadline deadline) {
    return get("version", deadline, Wire::json);
  }

  Reply<JsonNode> transferLeader(String toName, Deadline deadline) {
    String segment = URLEncoder.encode(toName, StandardCharsets.UTF_8).replace("+", "%20");
    return command("leader/transfer/" + segment, deadline);
  }

  /** PD hands over to any other member, which it does not look at before. */
  Reply<JsonNode> resign(Deadline deadline) {
    return command("leader/resign", deadline);
  }

  private <T> Reply<T> get(String path, Deadline deadline, Wire.Body<T> body) {
    var request = HttpRequest.newBuilder(api(path)).header(ANSWER_YOURSELF, "true").GET();
    return wire.send(request, Wire.Times.AGAIN_IF_CUT, deadline, body);
  }

  private Reply<JsonNode> command(String path, Deadline deadline) {
    var request =
        HttpRequest.newBuilder(api(path))
            .header(PASSED_ON_BY, "belay")
            .POST(HttpRequest.BodyPublishers.noBody());
    return wire.send(request, Wire.Times.ONCE, deadline, Wire::anyJson);
  }

  private URI api(String path) {
    return base.resolve("/pd/api/v1/" + path);
  }
}
