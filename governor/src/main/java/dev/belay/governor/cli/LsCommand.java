package dev.belay.governor.cli;

import dev.belay.governor.Refusal;
import dev.belay.governor.jdbc.Desk;
import dev.belay.governor.jdbc.Row;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the queue. */
@Command(
    name = "ls",
    description = "Show the queue; * marks a decision that a master has not heard of yet.",
    mixinStandardHelpOptions = true)
final class LsCommand implements Callable<Integer> {

  @Mixin Connect connect = new Connect();

  @Option(
      names = {"-w", "--watch"},
      description = "Go on and print every row that changes.")
  boolean watch;

  @Option(
      names = {"-n", "--last"},
      paramLabel = "ROWS",
      description = "How many of the newest rows. Default: 50.")
  int last = 50;

  @Override
  public Integer call() {
    return connect.run((targets, printer) -> {
      if (last < 1 || last > 100_000) {
        throw new Refusal("--last " + last + " is out of range; give 1 to 100000");
      }
      try (Desk desk = Desk.open(targets, Connect.who())) {
        printer.rows(desk.rows(last));
        Map<Long, Row> shown = new HashMap<>();
        desk.rows(last).forEach(r -> shown.put(r.id(), r));
        while (watch) {
          Thread.sleep(500);
          for (Row r : desk.rows(last)) {
            if (!r.equals(shown.put(r.id(), r))) {
              printer.row(r);
            }
          }
        }
        return GovernorCommand.DONE;
      }
    });
  }
}
