package dev.belay.drivers.pd;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.drivers.pd.Answers.MemberList;
import dev.belay.drivers.pd.Answers.Raft;
import dev.belay.drivers.pd.Answers.Reached;
import dev.belay.drivers.wire.Reply;
import java.util.List;

/**
 * All that one seat answered in one look.
 *
 * @param serving whether PD itself answers: true, or false with its own words, or unknown
 */
record SeatReport(
    Seat seat,
    boolean refused,
    Fact<Raft> raft,
    Fact<MemberList> members,
    Fact<Serving> serving,
    Fact<List<Reached>> health,
    Fact<String> version) {

  /** Whether PD itself, beyond its etcd, serves; and what it says when it does not. */
  record Serving(boolean good, String reason) {}

  /** The raw replies, before they are understood. */
  record Replies(
      Reply<JsonNode> raft,
      Reply<JsonNode> members,
      Reply<Boolean> ping,
      Reply<JsonNode> health,
      Reply<JsonNode> version) {}

  static SeatReport of(Seat seat, Replies replies) {
    return new SeatReport(
        seat,
        replies.raft instanceof Reply.Refused<JsonNode>,
        raft(replies.raft),
        Answers.members(replies.members),
        serving(replies),
        Answers.health(replies.health),
        Answers.version(replies.version));
  }

  /** Only the gateway's route can be missing: PD serves all else on every release. */
  private static Fact<Raft> raft(Reply<JsonNode> reply) {
    return reply instanceof Reply.Rejected<JsonNode>(int status, String message) && status == 404
        ? Fact.unknown(
            "the gateway of its etcd answers 404: start PD with enable-grpc-gateway = true")
        : Answers.raft(reply);
  }

  /** A member that answers an error says of itself that it does not serve; silence says nothing. */
  private static Fact<Serving> serving(Replies replies) {
    if (replies.ping instanceof Reply.Rejected<Boolean> no) {
      return Fact.known(new Serving(false, no.why()));
    }
    if (replies.members instanceof Reply.Rejected<JsonNode> no) {
      return Fact.known(new Serving(false, no.why()));
    }
    return replies.ping instanceof Reply.Ok<Boolean>
        ? Answers.members(replies.members).map(list -> new Serving(true, ""))
        : Fact.unknown(replies.ping.why());
  }
}
