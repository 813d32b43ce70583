package dev.belay.drivers.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.drivers.etcd.Answers.Alarm;
import dev.belay.drivers.etcd.Answers.MemberList;
import dev.belay.drivers.etcd.Answers.Status;
import dev.belay.drivers.wire.Reply;
import java.util.List;
import java.util.Map;

/** All that one seat answered in one look. */
record SeatReport(
    Seat seat,
    boolean refused,
    Fact<Status> status,
    Fact<MemberList> members,
    Fact<List<Alarm>> alarms,
    Fact<Health> health,
    Fact<String> serverVersion,
    Fact<String> clusterVersion,
    Reply<Map<String, String>> metrics) {

  /** What /health says, with its reason. */
  record Health(boolean good, String reason) {}

  /** The raw replies, before they are understood. */
  record Replies(
      Reply<JsonNode> status,
      Reply<JsonNode> members,
      Reply<JsonNode> alarms,
      Reply<JsonNode> health,
      Reply<JsonNode> version,
      Reply<Map<String, String>> metrics) {}

  static SeatReport of(Seat seat, Replies replies) {
    return new SeatReport(
        seat,
        replies.status instanceof Reply.Refused<JsonNode>,
        Answers.status(replies.status),
        Answers.members(replies.members),
        Answers.alarms(replies.alarms),
        health(replies.health),
        Answers.version(replies.version, "etcdserver"),
        Answers.version(replies.version, "etcdcluster"),
        replies.metrics);
  }

  /** etcd says "not healthy" with 503 and a reason. */
  private static Fact<Health> health(Reply<JsonNode> reply) {
    return reply instanceof Reply.Rejected<JsonNode>(int status, String message) && status == 503
        ? Fact.known(new Health(false, message))
        : Answers.healthy(reply).map(good -> new Health(good, ""));
  }

  Fact<String> metric(String name) {
    return switch (metrics) {
      case Reply.Ok<Map<String, String>>(var values) -> {
        String value = values.get(name);
        yield value == null ? Fact.unknown("/metrics has no " + name) : Fact.known(value);
      }
      default -> Fact.unknown("/metrics " + metrics.why());
    };
  }
}
