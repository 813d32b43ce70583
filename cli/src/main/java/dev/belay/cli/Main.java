package dev.belay.cli;

import dev.belay.governor.cli.GovernorCommand;
import java.time.Clock;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line: verbs, errors and exit codes. */
@Command(
    name = "belay",
    description = {
      "Shows how clustered stateful systems are upgraded, what waits and why, and tells the operator"
          + " what a person wants.",
      "It shows what the operator wrote into the status, writes into the spec what is asked, and"
          + " judges nothing itself.",
      ""
    },
    versionProvider = Main.Version.class,
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "VERB",
    commandListHeading = "%nVerbs:%n",
    footer = {
      "",
      "Called kubectl-belay and on PATH, it is also `kubectl belay`.",
      "`belay help VERB` shows what a verb takes and its exit codes."
    })
public final class Main implements Runnable {

  /** The version of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"belay " + Objects.requireNonNullElse(version, "(not packaged)")};
    }
  }

  @Spec private CommandSpec spec = CommandSpec.create();

  public static void main(String[] args) {
    // The Kubernetes client logs through slf4j; without a logger slf4j itself would complain.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    System.exit(run(Terminal.ofProcess(System.getenv()), Clock.systemUTC(), args));
  }

  static int run(Terminal terminal, Clock clock, String... args) {
    return commandLine(terminal, clock).execute(args);
  }

  static CommandLine commandLine(Terminal terminal, Clock clock) {
    var main =
        new CommandLine(new Main())
            .addSubcommand(new StatusCommand(terminal, clock))
            .addSubcommand(new ExplainCommand(terminal, clock))
            .addSubcommand(new PlanCommand(terminal))
            .addSubcommand(new WaitCommand(terminal, clock))
            .addSubcommand(new HistoryCommand(terminal, clock));
    AskCommands.all(terminal, clock).forEach(main::addSubcommand);
    main.addSubcommand(MigrationCommands.commandLine(terminal, clock));
    main.addSubcommand(new ReleaseCommand(terminal));
    main.addSubcommand(new HelpCommand());
    main.getSubcommands().values().stream()
        .filter(verb -> !(verb.getCommand() instanceof HelpCommand))
        .flatMap(verb -> Stream.concat(Stream.of(verb), verb.getSubcommands().values().stream()))
        .forEach(verb -> verb.getCommandSpec().addOption(help()));
    main.setOut(terminal.out());
    main.setErr(terminal.err());
    main.setColorScheme(CommandLine.Help.defaultColorScheme(ansi(terminal)));
    main.setExecutionExceptionHandler((e, _, _) -> trouble(terminal, e));
    main.setParameterExceptionHandler((e, _) -> misused(terminal, e));
    // Last, because it has help, errors and exit codes of its own.
    main.addSubcommand(new GovernorCommand());
    return main;
  }

  private static OptionSpec help() {
    return OptionSpec.builder("-h", "--help").usageHelp(true).description("This text.").build();
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  private static CommandLine.Help.Ansi ansi(Terminal terminal) {
    return terminal.colour() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF;
  }

  /** Says what went wrong; the exit code to end with. */
  static int trouble(Terminal terminal, Exception e) {
    String text =
        e instanceof Trouble known
            ? known.text()
            : "unexpected: " + e + Optional.ofNullable(e.getCause()).map(c -> ", " + c).orElse("");
    terminal.err().println("belay: " + text);
    terminal.err().flush();
    return Exit.TROUBLE.code();
  }

  private static int misused(Terminal terminal, ParameterException e) {
    terminal.err().println("belay: " + e.getMessage());
    terminal
        .err()
        .println("cure: " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help");
    terminal.err().flush();
    return Exit.TROUBLE.code();
  }
}
