package dev.belay.governor.cli;

import dev.belay.governor.files.Migration;
import dev.belay.governor.files.Migration.Phase;
import dev.belay.governor.jdbc.Desk;
import dev.belay.governor.jdbc.Row;
import dev.belay.governor.jdbc.Target;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says what run would do, and where the way back ends. */
@Command(
    name = "plan",
    description = "Show what run would do, in order, without doing it.",
    mixinStandardHelpOptions = true)
final class PlanCommand implements Callable<Integer> {

  @Mixin Connect connect = new Connect();
  @Mixin Folder folder = new Folder();

  @Override
  public Integer call() {
    return connect.run(this::plan);
  }

  private int plan(List<Target> targets, Printer printer) throws SQLException {
    try (Desk desk = Desk.open(targets, Connect.who())) {
      List<Row> failed = desk.rows(Row.FAILED);
      for (Row r : failed) {
        printer.say(
            "operation "
                + r.id()
                + " failed and stops the line: "
                + r.statusDescription().orElse(""),
            "stoppedBy",
            r.id(),
            "reason",
            r.statusDescription().orElse(""));
      }
      List<Row> pending = desk.rows(Row.PENDING);
      pending.stream().filter(r -> r.kind().equals(Row.UPGRADE)).forEach(r -> step(printer, r));
      if (folder.given()) {
        for (Migration m : desk.missing(folder.read(targets.getFirst()), folder.target())) {
          printer.say(
              "V"
                  + m.version()
                  + " "
                  + m.description()
                  + ": to be queued, "
                  + how(m.phase(), m.transactional(), m.reversible(), m.statements()),
              "version",
              m.version().toString(),
              "queued",
              false,
              "phase",
              m.phase().text(),
              "reversible",
              m.reversible(),
              "transactional",
              m.transactional());
        }
      }
      pending.stream().filter(r -> r.kind().equals(Row.CUSTOM)).forEach(r -> step(printer, r));
      return failed.isEmpty() ? GovernorCommand.DONE : GovernorCommand.STOPPED;
    }
  }

  private static void step(Printer printer, Row r) {
    String phase = r.phase().map(Phase::text).orElse("");
    printer.say(
        "operation "
            + r.id()
            + " "
            + r.title()
            + ": "
            + r.kind()
            + (r.kind().equals(Row.UPGRADE)
                ? ", " + how(r.phase().orElse(Phase.EXPAND), r.transactional(), r.reversible(), 0)
                : ""),
        "id",
        r.id(),
        "queued",
        true,
        "kind",
        r.kind(),
        "phase",
        phase,
        "reversible",
        r.reversible(),
        "transactional",
        r.transactional());
  }

  private static String how(
      Phase phase, boolean transactional, boolean reversible, int statements) {
    return phase.text()
        + (statements > 1 ? ", " + statements + " statements" : "")
        + (transactional ? "" : ", not in a transaction")
        + (reversible ? "" : "; the way back ends here");
  }
}
