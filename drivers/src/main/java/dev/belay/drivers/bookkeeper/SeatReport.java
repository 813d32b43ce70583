package dev.belay.drivers.bookkeeper;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.drivers.bookkeeper.Answers.Cluster;
import dev.belay.drivers.bookkeeper.Answers.State;
import dev.belay.drivers.wire.Reply;
import dev.belay.drivers.wire.Wire;
import java.util.List;
import java.util.stream.Stream;

/**
 * All that one seat answered in one look.
 *
 * @param ready the word it says of its readiness
 * @param writable the ids registered as writable, read-only those that are not
 */
record SeatReport(
    Seat seat,
    boolean refused,
    Fact<State> state,
    Fact<String> ready,
    Fact<Cluster> info,
    Fact<List<String>> writable,
    Fact<List<String>> readOnly,
    Fact<List<String>> underReplicated,
    Fact<Long> delay) {

  /** The raw replies, before they are understood. */
  record Replies(
      Reply<JsonNode> state,
      Reply<String> ready,
      Reply<JsonNode> info,
      Reply<JsonNode> writable,
      Reply<JsonNode> readOnly,
      Reply<JsonNode> underReplicated,
      Reply<String> delay) {}

  static SeatReport of(Seat seat, Replies replies) {
    return new SeatReport(
        seat,
        replies.state instanceof Reply.Refused<JsonNode>,
        Answers.state(replies.state),
        ready(replies.ready),
        info(replies.info),
        Answers.bookies(replies.writable),
        Answers.bookies(replies.readOnly),
        Answers.underReplicated(replies.underReplicated),
        Answers.delay(replies.delay));
  }

  /** A bookie that is not ready says so with 503. */
  private static Fact<String> ready(Reply<String> reply) {
    return switch (reply) {
      case Reply.Ok<String>(String word) -> Fact.known(Wire.clip(word));
      case Reply.Rejected<String>(int status, String _) when status == 503 ->
          Fact.known(reply.why());
      default -> Fact.unknown(reply.why());
    };
  }

  private static Fact<Cluster> info(Reply<JsonNode> reply) {
    return reply instanceof Reply.Rejected<JsonNode>(int status, String message) && status == 404
        ? Fact.unknown(
            "bookie/cluster_info answers 404: BookKeeper 4.16 or a newer one is needed"
                + (message.isEmpty() ? "" : " (" + message + ")"))
        : Answers.info(reply);
  }

  /** All who are registered, as this seat sees it. */
  Fact<List<String>> registered() {
    return writable.flatMap(rw ->
        readOnly.map(ro -> Stream.concat(rw.stream(), ro.stream()).distinct().sorted().toList()));
  }
}
