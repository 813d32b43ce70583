package dev.belay.governor;

import dev.belay.governor.cli.GovernorCommand;
import picocli.CommandLine;

/** The governor as a program of its own. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(new CommandLine(new GovernorCommand()).execute(args));
  }
}
