package dev.belay.operator.migrations;

import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Ledger;
import dev.belay.governor.Standing;
import java.util.Optional;

/** From the governor's words to core's. */
final class Ledgers {

  static Fact<Ledger> of(
      Standing standing,
      boolean atWork,
      Optional<Ledger.Hitch> hitch,
      Optional<Ledger.Answer> answer) {
    return switch (standing) {
      case Standing.Unknown(String why) -> Fact.unknown(why);
      case Standing.Known known ->
          Fact.known(
              new Ledger(
                  known.operations().stream().map(Ledgers::operation).toList(),
                  known.floor().map(Ledgers::closed),
                  known.misfit().orElse(""),
                  atWork ? "this operator" : known.atWork().orElse(""),
                  hitch,
                  answer));
    };
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
