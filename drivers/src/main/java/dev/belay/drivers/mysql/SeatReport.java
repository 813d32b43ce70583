package dev.belay.drivers.mysql;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.drivers.wire.Reply;
import java.util.List;
import java.util.Map;

/** What one seat answered in one look. */
record SeatReport(Seat seat, boolean refused, Fact<Server> server) {

  static SeatReport of(Seat seat, Reply<Map<String, List<Map<String, String>>>> reply) {
    return new SeatReport(
        seat,
        reply instanceof Reply.Refused<?>,
        reply instanceof Reply.Ok<Map<String, List<Map<String, String>>>>(var answers)
            ? Answers.server(answers)
            : Fact.unknown(reply.why()));
  }

  String name() {
    return seat.memberName();
  }

  /** By the system's own id; a silent seat has only its name. */
  String id() {
    return server.asOptional().map(Server::id).orElse(name());
  }
}
