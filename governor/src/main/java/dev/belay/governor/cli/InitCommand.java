package dev.belay.governor.cli;

import dev.belay.governor.jdbc.Governor;
import dev.belay.governor.jdbc.Options;
import dev.belay.governor.jdbc.Watcher;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Step zero on purpose; run does it by itself. */
@Command(
    name = "init",
    description = "Create the queue where it is missing and register the masters.",
    mixinStandardHelpOptions = true)
final class InitCommand implements Callable<Integer> {

  @Mixin Connect connect = new Connect();

  @Override
  public Integer call() {
    return connect.run((targets, printer) -> {
      try (Governor g = new Governor(targets, Options.defaults(Connect.who()), Watcher.NONE)) {
        String cluster = g.init();
        printer.say("cluster " + cluster, "cluster", cluster);
        return GovernorCommand.DONE;
      }
    });
  }
}
