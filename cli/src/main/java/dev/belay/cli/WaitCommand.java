package dev.belay.cli;

import dev.belay.api.v1alpha1.Durations;
import dev.belay.cli.Changes.Change;
import dev.belay.cli.Clusters.Choice;
import dev.belay.cli.Verdict.NotYet;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code belay wait}. */
@Command(
    name = "wait",
    description = {
      "Waits until an upgrade is over, and says by its exit code how it ended.",
      "",
      "Unlike `kubectl rollout status` and `helm --wait` it does not take a frozen StatefulSet for a"
          + " finished one. It can be started right after the change: a status that does not yet"
          + " speak of the workload's newest revision is not believed.",
      ""
    },
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done: idle, every member at the target",
      "1:failed: the condition Error is true",
      "2:held: a person is needed (the condition Stalled is true), or it is paused midway",
      "3:not over within --timeout",
      "4:anything else: no such cluster, no access, wrong arguments"
    })
final class WaitCommand implements Callable<Integer> {

  /** What can be waited for; the names are what a user types. */
  enum Goal {
    upgraded
  }

  /**
   * Bad news older than this wait may be about what the user has just repaired: a fix outside the
   * template (a node, an image, a Secret) changes no revision by which to tell.
   */
  static final Duration SETTLE = Duration.ofSeconds(2);

  /** How often a workload is read again while only it is ahead of a status that seems final. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(250);

  @Parameters(index = "0", paramLabel = "NAME", description = "The StatefulCluster.")
  private String name = "";

  @Option(
      names = "--for",
      paramLabel = "GOAL",
      defaultValue = "upgraded",
      description =
          "What to wait for: ${COMPLETION-CANDIDATES} (at the target and idle)."
              + " Default: ${DEFAULT-VALUE}.")
  private Goal goal = Goal.upgraded;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "10m",
      description = "How long at most: 30s, 10m, 1h30m, up to 24h. Default: ${DEFAULT-VALUE}.")
  private String timeout = "10m";

  @Option(
      names = {"-q", "--quiet"},
      description = "Prints only how it ended.")
  private boolean quiet;

  @Mixin private CommonOptions common = new CommonOptions();

  private final Terminal process;
  private final Clock clock;

  WaitCommand(Terminal process, Clock clock) {
    this.process = process;
    this.clock = clock;
  }

  @Override
  public Integer call() throws InterruptedException {
    Duration patience = patience();
    Terminal terminal = common.on(process);
    Instant start = clock.instant();
    try (Clusters clusters = common.open()) {
      Cluster cluster = clusters.read(clusters.get(name));
      try (Changes changes = clusters.watch(new Choice(name, "", false))) {
        return await(cluster, clusters, changes, terminal, start.plus(patience)).code();
      }
    }
  }

  private Duration patience() {
    try {
      return Durations.parse("--timeout", timeout);
    } catch (IllegalArgumentException e) {
      throw new Trouble(Cluster.word(e.getMessage()), "", e);
    }
  }

  private Exit await(
      Cluster first, Clusters clusters, Changes changes, Terminal terminal, Instant end)
      throws InterruptedException {
    Instant settled = clock.instant().plus(SETTLE);
    Cluster cluster = first;
    String said = "";
    while (true) {
      said = say(cluster, terminal, said);
      Verdict verdict = Verdict.of(cluster, clusters::workload);
      Instant now = clock.instant();
      boolean late = !now.isBefore(end);
      Optional<Exit> exit = exit(verdict, late || !now.isBefore(settled));
      if (exit.isPresent()) {
        return ended(exit.get(), cluster, terminal);
      }
      if (late) {
        return timedOut((NotYet) verdict, terminal);
      }
      Instant look = next(verdict, now, settled, end);
      Optional<Change> change = changes.next(Duration.between(now, look));
      if (change.orElse(null) instanceof Change.Gone) {
        throw new Trouble("StatefulCluster " + name + " was deleted while it was waited for", "");
      }
      cluster = change.map(c -> clusters.read(c.raw())).orElse(cluster);
    }
  }

  /** The moment at which another look can tell more, if nothing happens before. */
  private static Instant next(Verdict verdict, Instant now, Instant settled, Instant end) {
    Instant look =
        switch (verdict) {
          case NotYet(String why, boolean outrun) -> outrun ? now.plus(LOOK_AGAIN) : end;
          default -> settled;
        };
    return look.isBefore(end) ? look : end;
  }

  private static Optional<Exit> exit(Verdict verdict, boolean settled) {
    return switch (verdict) {
      case Verdict.Done _ -> Optional.of(Exit.OK);
      case Verdict.Failed _ -> settled ? Optional.of(Exit.FAILED) : Optional.empty();
      case Verdict.Held _ -> settled ? Optional.of(Exit.HELD) : Optional.empty();
      case NotYet _ -> Optional.empty();
    };
  }

  private String say(Cluster cluster, Terminal terminal, String said) {
    String line = new ChangeView(false, terminal.glyphs()).line(cluster);
    if (!quiet && !line.equals(said)) {
      terminal.out().println(clock.instant().truncatedTo(ChronoUnit.SECONDS) + "  " + line);
      terminal.out().flush();
    }
    return line;
  }

  private Exit ended(Exit exit, Cluster cluster, Terminal terminal) {
    if (exit == Exit.OK) {
      terminal
          .out()
          .println("done: %s is %s, it runs %s".formatted(name, goal, cluster.currentVersion()));
      terminal.out().flush();
      return exit;
    }
    var sight = new Sight(clock.instant(), terminal.glyphs(), common.commands());
    terminal.err().println(exit == Exit.FAILED ? name + " failed" : name + " needs a person");
    new Footer(cluster, sight).lines().forEach(l -> terminal.err().println(terminal.text(l)));
    terminal.err().flush();
    return exit;
  }

  private Exit timedOut(NotYet verdict, Terminal terminal) {
    terminal.err().println("not done after " + timeout + ": " + verdict.why());
    terminal.err().flush();
    return Exit.TIMEOUT;
  }
}
