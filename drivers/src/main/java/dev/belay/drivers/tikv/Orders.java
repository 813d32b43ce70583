package dev.belay.drivers.tikv;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.state.Command;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;

/** The commands to PD. */
final class Orders {

  private static final String EVICT = "evict";
  private static final String END = "endEviction";

  private Orders() {}

  static Command evict(Member store, String pod) {
    return new Command(
        EVICT,
        store.id(),
        pod,
        "move region leaders off %s (store %s) before it goes down"
            .formatted(store.name(), store.id()),
        Readings.term(store.id(), Fact.known(Readings.OFF)).asOptional().orElse(""),
        Map.of());
  }

  static Command end(String store, String pod) {
    return new Command(
        END,
        store,
        pod,
        "let region leaders return to %s (store %s)".formatted(pod, store),
        Readings.term(store, Fact.known(Readings.ON)).asOptional().orElse(""),
        Map.of());
  }

  static boolean evicts(Command command) {
    return command.verb().equals(EVICT);
  }

  /**
   * PD reads the id in this command as a floating-point number: beyond 2^53 it would take another
   * store for it.
   */
  static boolean canName(String store) {
    var id = new BigInteger(store);
    return new BigDecimal(id.doubleValue()).toBigInteger().equals(id);
  }

  static Reply<JsonNode> send(PdClient client, Command command, Deadline until) {
    return switch (command.verb()) {
      case EVICT -> client.evict(command.memberId(), until);
      case END -> client.endEviction(command.memberId(), until);
      default -> new Reply.Failed<>("knows no command " + command.verb());
    };
  }

  /** Older releases refuse an eviction that there is; to end one that there is not is a 404. */
  static boolean isAlreadySo(Command command, Reply<JsonNode> reply) {
    return reply instanceof Reply.Rejected<JsonNode>(int status, String message)
        && (evicts(command) ? message.contains("exist") : status == 404);
  }
}
