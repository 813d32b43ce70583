package dev.belay.governor.cli;

import picocli.CommandLine.Command;

/** {@code governor}: the queue of migrations, verb by verb. */
@Command(
    name = "governor",
    description =
        "Carries out a queue of migrations in the database itself: in order, once, or not at all.",
    subcommands = {
      InitCommand.class,
      AddCommand.class,
      LsCommand.class,
      PlanCommand.class,
      RunCommand.class,
      DecideCommands.Retry.class,
      DecideCommands.Skip.class,
      DecideCommands.Resolve.class
    },
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done; for run --once: the queue is drained",
      "1:a failed operation stops the line",
      "2:refused: usage or bad input; nothing was touched",
      "3:waiting: another governor, an absent master, a busy lock",
      "4:a database cannot be reached"
    })
public final class GovernorCommand {
  static final int DONE = 0;
  static final int STOPPED = 1;
  static final int REFUSED = 2;
  static final int WAITING = 3;
  static final int UNREACHABLE = 4;
}
