package dev.belay.operator.migrations;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.governor.Standing;
import java.time.Instant;
import java.util.Optional;

/** From the governor's words to core's. */
final class Ledgers {

  /**
   * What the planner reads.
   *
   * @param now when that was read
   * @param current the operation that this process carries out, which the database may show to
   *     nobody before it is over; empty when it does nothing
   */
  static Fact<Ledger> of(
      Standing standing,
      Instant now,
      String current,
      Optional<Ledger.Hitch> hitch,
      Optional<Ledger.Answer> answer) {
    return switch (standing) {
      case Standing.Unknown(String why) -> Fact.unknown(why);
      case Standing.Unread(Standing.Denied denied) ->
          Fact.known(Ledger.unread(new Ledger.Denied(denied.words(), denied.grant(), true)));
      case Standing.Known known ->
          Fact.known(
              new Ledger(
                  known.operations().stream()
                      .map(Ledgers::operation)
                      .map(o -> o.key().equals(current) ? running(o) : o)
                      .toList(),
                  known.floor().map(Ledgers::closed),
                  known.misfit().orElse(""),
                  current.isEmpty()
                      ? known.holder().map(h -> holder(h, now))
                      : Optional.of(Ledger.Holder.working("this operator")),
                  hitch,
                  answer,
                  known.denied().map(d -> new Ledger.Denied(d.words(), d.grant(), false))));
    };
  }

  private static Ledger.Holder holder(Standing.Holder h, Instant now) {
    return new Ledger.Holder(
        h.who(),
        h.hidden()
            ? Fact.unknown("the database user may not see other users' sessions")
            : Fact.known(h.idle().map(now::minus)),
        "find out whose it is; if it was left over, end it in the database: " + h.ending());
  }

  private static Ledger.Operation running(Ledger.Operation o) {
    return o.is(Ledger.Status.PENDING) ? o.at(o.id(), Ledger.Status.RUNNING) : o;
  }

  private static Ledger.Operation operation(Standing.Operation o) {
    return new Ledger.Operation(
        o.id(),
        o.version().orElse(""),
        o.description(),
        o.phase().map(p -> Ledger.Phase.valueOf(p.name())),
        Ledger.Status.valueOf(o.status().name()),
        o.text(),
        o.reversible(),
        o.attempt());
  }

  private static Ledger.Closed closed(Standing.Floor floor) {
    String version = floor.version().orElse("");
    String key = version.isEmpty() ? "#" + floor.operation() : version;
    return new Ledger.Closed(version, "migration " + key + " (" + floor.description() + ")");
  }

  private Ledgers() {}
}
