package dev.belay.drivers.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.belay.drivers.DriverConfig.Auth;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import dev.belay.drivers.wire.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Speaks with one member over its JSON gateway, logged in where a password is configured. */
final class EtcdClient {

  /** The token that stands for "this etcd has no authentication". */
  private static final String NO_TOKEN = "";

  private final Wire wire;
  private final URI base;
  private final Optional<Auth> auth;
  private final ReentrantLock login = new ReentrantLock();
  private @Nullable String token;

  EtcdClient(Wire wire, URI base, Optional<Auth> auth) {
    this.wire = wire;
    this.base = base;
    this.auth = auth;
  }

  Reply<JsonNode> status(Deadline deadline) {
    return post("/v3/maintenance/status", body(), Wire.Times.AGAIN_IF_CUT, deadline);
  }

  /** The members as the quorum has them. */
  Reply<JsonNode> members(Deadline deadline) {
    ObjectNode question = body().put("linearizable", true);
    return post("/v3/cluster/member/list", question, Wire.Times.AGAIN_IF_CUT, deadline);
  }

  Reply<JsonNode> alarms(Deadline deadline) {
    ObjectNode question = body().put("action", "GET");
    return post("/v3/maintenance/alarm", question, Wire.Times.AGAIN_IF_CUT, deadline);
  }

  /** One member's alarm turns /health false on all; alarms are read by name instead. */
  Reply<JsonNode> health(Deadline deadline) {
    return get("/health?exclude=NOSPACE&exclude=CORRUPT", deadline, Wire::json);
  }

  Reply<JsonNode> version(Deadline deadline) {
    return get("/version", deadline, Wire::json);
  }

  Reply<Map<String, String>> metrics(Set<String> names, Deadline deadline) {
    return get("/metrics", deadline, in -> Metrics.read(in, names));
  }

  Reply<JsonNode> transferLeadership(String toMemberId, Deadline deadline) {
    ObjectNode command = body().put("targetID", toMemberId);
    return post("/v3/maintenance/transfer-leadership", command, Wire.Times.ONCE, deadline);
  }

  private <T> Reply<T> get(String path, Deadline deadline, Wire.Body<T> body) {
    var request = HttpRequest.newBuilder(base.resolve(path)).GET();
    return wire.send(request, Wire.Times.AGAIN_IF_CUT, deadline, body);
  }

  private Reply<JsonNode> post(String path, ObjectNode body, Wire.Times times, Deadline deadline) {
    if (auth.isEmpty()) {
      return explained(wire.send(request(path, body), times, deadline, EtcdClient::readJson));
    }
    Reply<String> pass = token(auth.get(), null, deadline);
    for (boolean renewed = false; pass instanceof Reply.Ok<String>(String used); renewed = true) {
      var request = request(path, body);
      if (!used.equals(NO_TOKEN)) {
        request.header("Authorization", used);
      }
      Reply<JsonNode> reply = wire.send(request, times, deadline, EtcdClient::readJson);
      if (renewed || !tokenRefused(reply)) {
        return explained(reply);
      }
      pass = token(auth.get(), used, deadline);
    }
    return pass.trouble();
  }

  /** The token in use, or a new one when it is the refused one. */
  private Reply<String> token(Auth user, @Nullable String refused, Deadline deadline) {
    login.lock();
    try {
      if (token != null && !token.equals(refused)) {
        return new Reply.Ok<>(token);
      }
      token = null;
      Reply<String> pass = authenticate(user, deadline);
      if (pass instanceof Reply.Ok<String>(String fresh)) {
        token = fresh;
      }
      return pass;
    } finally {
      login.unlock();
    }
  }

  private Reply<String> authenticate(Auth user, Deadline deadline) {
    ObjectNode question = body().put("name", user.username()).put("password", user.password());
    Reply<JsonNode> reply =
        wire.send(
            request("/v3/auth/authenticate", question),
            Wire.Times.AGAIN_IF_CUT,
            deadline,
            EtcdClient::readJson);
    return switch (reply) {
      case Reply.Ok<JsonNode>(JsonNode node) when node.path("token").isTextual() ->
          new Reply.Ok<>(node.path("token").textValue());
      case Reply.Ok<JsonNode> ok -> new Reply.Failed<>("malformed answer: no token in the log-in");
      case Reply.Rejected<JsonNode>(int status, String message)
          when message.contains("authentication is not enabled") ->
          new Reply.Ok<>(NO_TOKEN);
      case Reply.Rejected<JsonNode>(int status, String message) ->
          new Reply.Failed<>(
              "refuses user " + user.username() + " (" + message + "): check user and password");
      default -> reply.trouble();
    };
  }

  private static boolean tokenRefused(Reply<JsonNode> reply) {
    return reply instanceof Reply.Rejected<JsonNode>(int status, String message)
        && (message.contains("invalid auth token")
            || message.contains("user name is empty")
            || message.contains("revision of auth store is old"));
  }

  private static Reply<JsonNode> explained(Reply<JsonNode> reply) {
    return reply instanceof Reply.Rejected<JsonNode>(int status, String message)
            && message.contains("user name is empty")
        ? new Reply.Failed<>("asks for a user and password (" + message + "): configure auth")
        : reply;
  }

  private HttpRequest.Builder request(String path, ObjectNode body) {
    return HttpRequest.newBuilder(base.resolve(path))
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body.toString()));
  }

  private static Reply<JsonNode> readJson(InputStream in) throws IOException {
    return Wire.json(in);
  }

  private static ObjectNode body() {
    return Wire.JSON.createObjectNode();
  }
}
