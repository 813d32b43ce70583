package dev.belay.cli;

import dev.belay.cli.AskCommands.Subject;
import dev.belay.cli.Deciding.Verdict;
import java.time.Clock;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code belay migration}: what becomes of a migration that failed. */
@Command(
    name = "migration",
    description = {
      "Decides on a migration that failed: the line stops until somebody does.",
      "",
      "Sets spec.requests.migration. What the database said is in belay explain.",
      ""
    },
    synopsisSubcommandLabel = "DECISION",
    commandListHeading = "%nDecisions:%n",
    footer = {"", "`belay migration DECISION --help` shows what a decision takes."})
final class MigrationCommands implements Runnable {

  private static final String DONE = "0:written, or it was so already";
  private static final String NOT =
      "4:refused, no such cluster, no failed migration, no access, wrong arguments";

  @Spec private CommandSpec spec = CommandSpec.create();

  static CommandLine commandLine(Terminal terminal, Clock clock) {
    return new CommandLine(new MigrationCommands())
        .addSubcommand(new Retry(new Subject(terminal, clock)))
        .addSubcommand(new Skip(new Subject(terminal, clock)))
        .addSubcommand(new Resolve(new Subject(terminal, clock)));
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  /** Which operation, by which token. */
  static final class Request {

    @Option(
        names = "--id",
        paramLabel = "N",
        description =
            "The operation that is meant; refused when it is not the one that failed. Default: the"
                + " one that failed.")
    private @Nullable Long id;

    @Option(
        names = "--token",
        paramLabel = "TEXT",
        description = "By what it is known in Git and in the history. Default: the time and you.")
    private @Nullable String token;

    int ask(Subject subject, Verdict verdict) {
      return subject.ask(asking -> new Deciding(asking).on(verdict, id, token));
    }
  }

  /** {@code belay migration retry}. */
  @Command(
      name = "retry",
      description = {
        "Tries a failed migration again, with the text of the ConfigMap if that was corrected.",
        ""
      },
      sortOptions = false,
      exitCodeListHeading = AskCommands.EXIT_CODES,
      exitCodeList = {DONE, NOT})
  static final class Retry implements Callable<Integer> {

    @Mixin private final Request request = new Request();
    @Mixin private final Subject subject;

    Retry(Subject subject) {
      this.subject = subject;
    }

    @Override
    public Integer call() {
      return request.ask(subject, Verdict.RETRY);
    }
  }

  /** {@code belay migration skip}. */
  @Command(
      name = "skip",
      description = {
        "Leaves a failed migration out, for good. An irreversible one keeps the way back closed,"
            + " since parts of it may be there.",
        ""
      },
      sortOptions = false,
      exitCodeListHeading = AskCommands.EXIT_CODES,
      exitCodeList = {DONE, NOT})
  static final class Skip implements Callable<Integer> {

    @Mixin private final Request request = new Request();
    @Mixin private final Subject subject;

    Skip(Subject subject) {
      this.subject = subject;
    }

    @Override
    public Integer call() {
      return request.ask(subject, Verdict.SKIP);
    }
  }

  /** {@code belay migration resolve}. */
  @Command(
      name = "resolve",
      description = {
        "Says whether a statement in doubt took place, or was done by hand. Look first.",
        ""
      },
      sortOptions = false,
      exitCodeListHeading = AskCommands.EXIT_CODES,
      exitCodeList = {DONE, NOT})
  static final class Resolve implements Callable<Integer> {

    /** What was found. */
    static final class Found {
      @Option(
          names = "--applied",
          required = true,
          description = "It took place: the migration goes on behind it.")
      private boolean applied;

      @Option(
          names = "--not-applied",
          required = true,
          description = "It did not: it is carried out again.")
      private boolean notApplied;

      Verdict verdict() {
        return applied && !notApplied ? Verdict.APPLIED : Verdict.NOT_APPLIED;
      }
    }

    @ArgGroup(multiplicity = "1")
    private Found found = new Found();

    @Mixin private final Request request = new Request();
    @Mixin private final Subject subject;

    Resolve(Subject subject) {
      this.subject = subject;
    }

    @Override
    public Integer call() {
      return request.ask(subject, found.verdict());
    }
  }
}
