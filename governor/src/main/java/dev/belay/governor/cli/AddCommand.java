package dev.belay.governor.cli;

import dev.belay.governor.Refusal;
import dev.belay.governor.files.Migration;
import dev.belay.governor.files.Migration.Phase;
import dev.belay.governor.jdbc.Desk;
import dev.belay.governor.jdbc.Desk.Wish;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Queues one operation, or the files of a folder. */
@Command(
    name = "add",
    description = "Queue an operation, or the files of a folder that are not queued yet.",
    mixinStandardHelpOptions = true)
final class AddCommand implements Callable<Integer> {

  @Mixin Connect connect = new Connect();
  @Mixin Folder folder = new Folder();

  @Parameters(arity = "0..1", paramLabel = "SQL", description = "The statement; - reads stdin.")
  @Nullable String sql;

  @Option(names = "--file", paramLabel = "FILE", description = "File with the statements.")
  @Nullable Path file;

  @Option(names = "--description", paramLabel = "TEXT", description = "What it is for.")
  @Nullable String description;

  @Option(names = "--verify", paramLabel = "QUERY", description = "Says whether it took place.")
  @Nullable String verify;

  @Option(
      names = "--no-transaction",
      description = "It cannot run in a transaction (CREATE INDEX CONCURRENTLY).")
  boolean noTransaction;

  @Override
  public Integer call() {
    return connect.run((targets, printer) -> {
      int sources = (sql == null ? 0 : 1) + (file == null ? 0 : 1) + (folder.given() ? 1 : 0);
      if (sources != 1) {
        throw new Refusal("give one of SQL, --file and --folder");
      }
      try (Desk desk = Desk.open(targets, Connect.who())) {
        if (folder.given()) {
          for (Migration m : desk.fill(folder.read(targets.getFirst()), folder.target())) {
            printer.say(
                "queued V" + m.version() + " " + m.description(),
                "version",
                m.version().toString());
          }
          return GovernorCommand.DONE;
        }
        long id = desk.add(wish(text()));
        printer.say("queued operation " + id, "id", id);
        return GovernorCommand.DONE;
      }
    });
  }

  private Wish wish(String text) {
    return new Wish(
        text,
        Optional.ofNullable(description),
        Optional.empty(),
        Optional.<Phase>empty(),
        false,
        !noTransaction,
        Optional.ofNullable(verify));
  }

  private String text() throws IOException {
    if (file != null) {
      return Files.readString(file);
    }
    String given = java.util.Objects.requireNonNull(sql);
    return given.equals("-") ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8) : given;
  }
}
