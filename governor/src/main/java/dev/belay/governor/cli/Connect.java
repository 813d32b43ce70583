package dev.belay.governor.cli;

import dev.belay.governor.Refusal;
import dev.belay.governor.jdbc.Barred;
import dev.belay.governor.jdbc.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where the queue is, who asks, and how answers are printed: the same for every verb. */
final class Connect {

  private static final String DEFAULT_URL = "jdbc:h2:file:./belay-governor";

  @Spec(Spec.Target.MIXEE)
  @Nullable CommandSpec spec;

  @Option(
      names = "--url",
      paramLabel = "JDBC-URL",
      description =
          "The database that holds the queue. Default: BELAY_GOVERNOR_URL, else an H2 file here.")
  @Nullable String url;

  @Option(
      names = "--master",
      paramLabel = "JDBC-URL",
      description = "Another master of the same cluster; repeat it for each.")
  List<String> masters = new ArrayList<>();

  @Option(names = "--user", paramLabel = "NAME", description = "User of the database.")
  String user = "";

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "File whose first line is the password.")
  @Nullable Path passwordFile;

  @Option(
      names = "--password-env",
      paramLabel = "NAME",
      description = "Environment variable with the password. Default: BELAY_GOVERNOR_PASSWORD.")
  String passwordEnv = "BELAY_GOVERNOR_PASSWORD";

  @Option(names = "--password", interactive = true, description = "Ask for the password.")
  char @Nullable [] typed;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "text or json. Default: text.")
  String output = "text";

  /** What a verb does once everything it was given is understood. */
  interface Verb {
    int run(List<Target> targets, Printer printer)
        throws SQLException, IOException, InterruptedException;
  }

  /** Runs a verb; trouble becomes a sentence and an exit code. */
  int run(Verb verb) {
    CommandSpec s = java.util.Objects.requireNonNull(spec);
    Printer printer =
        new Printer(s.commandLine().getOut(), s.commandLine().getErr(), output.equals("json"));
    try {
      if (!output.equals("json") && !output.equals("text")) {
        throw new Refusal("output \"" + output + "\" is not known; write text or json");
      }
      return verb.run(targets(), printer);
    } catch (Refusal e) {
      return printer.error(String.valueOf(e.getMessage()), GovernorCommand.REFUSED);
    } catch (Barred e) {
      return printer.error(String.valueOf(e.getMessage()), GovernorCommand.WAITING);
    } catch (SQLException e) {
      return printer.error(scrub(String.valueOf(e.getMessage())), GovernorCommand.UNREACHABLE);
    } catch (IOException e) {
      return printer.error("cannot read " + e.getMessage(), GovernorCommand.REFUSED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return printer.error(
          "interrupted; nothing is undone, run goes on where it was", GovernorCommand.WAITING);
    }
  }

  /** The name that decisions are recorded under. */
  static String who() {
    return System.getProperty("user.name", "somebody");
  }

  private List<Target> targets() throws IOException {
    String fromEnvironment = System.getenv("BELAY_GOVERNOR_URL");
    String home = url != null ? url : fromEnvironment != null ? fromEnvironment : DEFAULT_URL;
    List<Target> out = new ArrayList<>(List.of(new Target(home, user, password())));
    if (url != null) {
      refusePassword(out.getFirst());
    }
    out.addAll(targets(masters));
    return out;
  }

  /** Further databases, entered in the same way. */
  List<Target> targets(List<String> urls) throws IOException {
    List<Target> out = new ArrayList<>();
    for (String u : urls) {
      Target t = new Target(u, user, password());
      refusePassword(t);
      out.add(t);
    }
    return out;
  }

  private static void refusePassword(Target t) {
    if (t.holdsPassword()) {
      throw new Refusal(
          "url "
              + t.name()
              + " holds a password, which the process list shows to everybody;"
              + " use --password-file, --password-env or --password");
    }
  }

  private Optional<String> password() throws IOException {
    if (typed != null) {
      return Optional.of(new String(typed));
    }
    if (passwordFile != null) {
      List<String> lines = Files.readAllLines(passwordFile);
      if (lines.isEmpty()) {
        throw new Refusal(
            "password file " + passwordFile + " is empty; write the password into it");
      }
      return Optional.of(lines.getFirst());
    }
    return Optional.ofNullable(System.getenv(passwordEnv));
  }

  private String scrub(String text) {
    try {
      return new Target("jdbc:", user, password()).scrub(text);
    } catch (IOException | Refusal e) {
      return Target.redact(text);
    }
  }
}
