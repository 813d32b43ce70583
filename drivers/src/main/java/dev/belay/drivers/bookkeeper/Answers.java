package dev.belay.drivers.bookkeeper;

import static dev.belay.drivers.wire.Fields.flag;
import static dev.belay.drivers.wire.Fields.read;
import static dev.belay.drivers.wire.Fields.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.model.Fact;
import dev.belay.drivers.wire.Malformed;
import dev.belay.drivers.wire.Reply;
import dev.belay.drivers.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bookie's answers as types. Nearly all its errors are a 404, and so is the best answer of all:
 * the body decides, never the status.
 */
final class Answers {

  private static final Pattern DELAY =
      Pattern.compile("lostBookieRecoveryDelay value: (\\d{1,9})\\s*");

  private static final String NONE = "No under replicated ledgers found";

  private Answers() {}

  /** What a bookie says about itself. */
  record State(boolean running, boolean readOnly, boolean shuttingDown) {}

  /**
   * What it says about all.
   *
   * @param auditor the id of the bookie that audits; empty when nobody does
   */
  record Cluster(Optional<String> auditor, boolean recovering) {}

  static Fact<State> state(Reply<JsonNode> reply) {
    return read(
        reply,
        node ->
            new State(told(node, "running"), told(node, "readOnly"), flag(node, "shuttingDown")));
  }

  static Fact<Cluster> info(Reply<JsonNode> reply) {
    return read(
        reply,
        node ->
            new Cluster(
                told(node, "auditorElected")
                    ? Optional.of(text(node, "auditorId"))
                    : Optional.empty(),
                told(node, "ledgerReplicationEnabled")));
  }

  /** The ids of registered bookies, sorted; what they are called beside that does not matter. */
  static Fact<List<String>> bookies(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          var ids = new ArrayList<String>();
          node.fieldNames().forEachRemaining(ids::add);
          return ids.stream().sorted().toList();
        });
  }

  /** Which ledgers lack copies. 404 with one certain sentence is the good answer. */
  static Fact<List<String>> underReplicated(Reply<JsonNode> reply) {
    return reply instanceof Reply.Rejected<JsonNode>(int status, String message)
            && status == 404
            && message.equals(NONE)
        ? Fact.known(List.of())
        : read(reply, Answers::ledgers);
  }

  /** A list of ids; or by id the bookies that are missed. */
  private static List<String> ledgers(JsonNode node) {
    var ids = new ArrayList<String>();
    if (node.isObject()) {
      node.fieldNames().forEachRemaining(ids::add);
    } else if (node.isArray()) {
      node.forEach(id -> {
        if (!id.isIntegralNumber()) {
          throw new Malformed("a ledger is " + Wire.clip(id.toString()) + ", not a number");
        }
        ids.add(id.asText());
      });
    } else {
      throw new Malformed("the ledgers are no list");
    }
    return List.copyOf(ids);
  }

  /** The delay is told in a sentence. */
  static Fact<Long> delay(Reply<String> reply) {
    if (!(reply instanceof Reply.Ok<String>(String said))) {
      return Fact.unknown(reply.why());
    }
    Matcher sentence = DELAY.matcher(said);
    return sentence.matches()
        ? Fact.known(Long.parseLong(sentence.group(1)))
        : Fact.unknown("malformed answer: " + Wire.clip(said));
  }

  private static boolean told(JsonNode node, String field) {
    if (!node.has(field)) {
      throw new Malformed("no " + field);
    }
    return flag(node, field);
  }
}
