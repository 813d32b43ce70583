package dev.belay.governor.cli;

import dev.belay.governor.Refusal;
import dev.belay.governor.files.Migration;
import dev.belay.governor.files.Migration.Phase;
import dev.belay.governor.jdbc.Desk;
import dev.belay.governor.jdbc.Governor;
import dev.belay.governor.jdbc.Options;
import dev.belay.governor.jdbc.Target;
import dev.belay.governor.queue.Effect.Rest;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Is the governor. */
@Command(
    name = "run",
    description = "Carry out the queue: until it is drained (--once), or for ever.",
    mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {

  private static final Duration POLL = Duration.ofMillis(500);

  @Mixin Connect connect = new Connect();
  @Mixin Folder folder = new Folder();

  @Option(names = "--once", description = "End when there is nothing to do now.")
  boolean once;

  @Option(
      names = "--cluster",
      paramLabel = "ID",
      description = "The cluster id that init has printed; any other database is refused.")
  @Nullable String cluster;

  @Option(
      names = "--replica",
      paramLabel = "JDBC-URL",
      description =
          "A replica that has to replay each operation before the next begins; repeat it for each.")
  List<String> replicas = new ArrayList<>();

  @Option(
      names = "--phase",
      paramLabel = "PHASE",
      description = "Open only this phase of upgrades; repeat it for several. Default: all.")
  List<String> phases = new ArrayList<>();

  @Option(
      names = "--lock-timeout",
      paramLabel = "SECONDS",
      description = "How long a statement may wait for a lock. Default: 5.")
  long lockTimeout = 5;

  @Option(
      names = "--lock-tries",
      paramLabel = "N",
      description = "How often a busy lock is met before it counts as a failure. Default: 3.")
  int lockTries = 3;

  @Option(
      names = "--prepare-timeout",
      paramLabel = "SECONDS",
      description = "How long prepared masters may wait for the slowest one. Default: 60.")
  long prepareTimeout = 60;

  @Option(
      names = "--lease",
      paramLabel = "SECONDS",
      description =
          "How long another governor may be silent before its session is ended. Default: 90.")
  long lease = 90;

  @Override
  public Integer call() {
    return connect.run(this::govern);
  }

  private int govern(List<Target> targets, Printer printer)
      throws SQLException, IOException, InterruptedException {
    Options options = options();
    try (Governor governor =
        new Governor(targets, connect.targets(replicas), options, new Progress(printer))) {
      if (folder.given()) {
        List<Migration> files = folder.read(targets.getFirst());
        governor.init();
        try (Desk desk = Desk.open(targets, Connect.who())) {
          for (Migration m : desk.fill(files, folder.target())) {
            printer.say(
                "queued V" + m.version() + " " + m.description(), "queued", m.version().toString());
          }
        }
      }
      String said = "";
      while (true) {
        Rest rest = governor.work();
        if (!rest.reason().equals(said)) {
          said = rest.reason();
          printer.say(
              rest.why().name().toLowerCase(java.util.Locale.ROOT) + ": " + said,
              "rest",
              rest.why().name().toLowerCase(java.util.Locale.ROOT),
              "reason",
              said);
        }
        if (once || rest.why() == Rest.Why.OUTRANKED) {
          return code(rest.why());
        }
        Thread.sleep(POLL);
      }
    }
  }

  private static int code(Rest.Why why) {
    return switch (why) {
      case DRAINED -> GovernorCommand.DONE;
      case STOPPED -> GovernorCommand.STOPPED;
      case WAITING, OUTRANKED -> GovernorCommand.WAITING;
    };
  }

  private Options options() {
    Set<Phase> open = EnumSet.noneOf(Phase.class);
    for (String p : phases) {
      open.add(
          Phase.parse(p)
              .orElseThrow(() ->
                  new Refusal(
                      "--phase \"" + p + "\" is not known; write expand, finalize or contract")));
    }
    return new Options(
        Connect.who() + "@" + ProcessHandle.current().pid(),
        Optional.ofNullable(cluster),
        Duration.ofSeconds(lockTimeout),
        lockTries,
        Duration.ofSeconds(prepareTimeout),
        Duration.ofSeconds(lease),
        phases.isEmpty() ? EnumSet.allOf(Phase.class) : open,
        true);
  }
}
