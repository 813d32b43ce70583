package dev.belay.governor.cli;

import dev.belay.governor.Refusal;
import dev.belay.governor.jdbc.Desk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What only a person can decide about a failed operation. */
final class DecideCommands {

  private DecideCommands() {}

  /** Puts it back into the line. */
  @Command(
      name = "retry",
      description = "Put a failed operation back into the line, with a corrected text if given.",
      mixinStandardHelpOptions = true)
  static final class Retry implements Callable<Integer> {
    @Mixin Connect connect = new Connect();

    @Parameters(paramLabel = "ID", description = "The failed operation.")
    long id;

    @Option(names = "--file", paramLabel = "FILE", description = "The corrected text.")
    @Nullable Path file;

    @Override
    public Integer call() {
      return connect.run((targets, printer) -> {
        try (Desk desk = Desk.open(targets, Connect.who())) {
          desk.retry(id, file == null ? Optional.empty() : Optional.of(Files.readString(file)));
          printer.say("operation " + id + " is pending again", "id", id, "status", "pending");
          return GovernorCommand.DONE;
        }
      });
    }
  }

  /** Leaves it out. */
  @Command(
      name = "skip",
      description = "Leave a failed operation out; who and why are kept in the row.",
      mixinStandardHelpOptions = true)
  static final class Skip implements Callable<Integer> {
    @Mixin Connect connect = new Connect();

    @Parameters(paramLabel = "ID", description = "The failed operation.")
    long id;

    @Option(names = "--why", required = true, paramLabel = "TEXT", description = "The reason.")
    String why = "";

    @Override
    public Integer call() {
      return connect.run((targets, printer) -> {
        try (Desk desk = Desk.open(targets, Connect.who())) {
          desk.skip(id, why);
          printer.say("operation " + id + " is skipped", "id", id, "status", "done");
          return GovernorCommand.DONE;
        }
      });
    }
  }

  /** Says what was found out. */
  @Command(
      name = "resolve",
      description = "Say whether an operation in doubt, or done by hand, was applied.",
      mixinStandardHelpOptions = true)
  static final class Resolve implements Callable<Integer> {
    @Mixin Connect connect = new Connect();

    @Parameters(paramLabel = "ID", description = "The failed operation.")
    long id;

    @Option(names = "--applied", description = "The statement in doubt took place.")
    boolean applied;

    @Option(names = "--not-applied", description = "The statement in doubt did not take place.")
    boolean notApplied;

    @Override
    public Integer call() {
      return connect.run((targets, printer) -> {
        if (applied == notApplied) {
          throw new Refusal("say one of --applied and --not-applied");
        }
        try (Desk desk = Desk.open(targets, Connect.who())) {
          desk.resolve(id, applied);
          printer.say("operation " + id + " is resolved", "id", id, "applied", applied);
          return GovernorCommand.DONE;
        }
      });
    }
  }
}
