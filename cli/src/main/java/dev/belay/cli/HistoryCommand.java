package dev.belay.cli;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code belay history}. */
@Command(
    name = "history",
    description = {
      "Lists the upgrade under way and the last ten that are over: from, to, when, how long, how much"
          + " of that a person was waited for, how it ended, who approved or forced.",
      ""
    },
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:shown, also when there is none",
      "4:no such cluster, no access, wrong arguments"
    })
final class HistoryCommand implements Callable<Integer> {

  @Parameters(index = "0", paramLabel = "NAME", description = "The StatefulCluster.")
  private String name = "";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "The same as a document: ${COMPLETION-CANDIDATES}.")
  private @Nullable Format format;

  @Mixin private CommonOptions common = new CommonOptions();

  private final Terminal process;
  private final Clock clock;

  HistoryCommand(Terminal process, Clock clock) {
    this.process = process;
    this.clock = clock;
  }

  @Override
  public Integer call() {
    Terminal terminal = common.on(process);
    try (Clusters clusters = common.open()) {
      Cluster cluster = clusters.read(clusters.get(name));
      if (format != null) {
        terminal.out().println(clusters.document(format, document(cluster)).stripTrailing());
        terminal.out().flush();
        return Exit.OK.code();
      }
      List<Line> lines = new HistoryView(cluster, clock.instant()).lines();
      if (lines.isEmpty()) {
        terminal.err().println("no upgrade of " + name + " is known yet");
        terminal.err().flush();
      }
      terminal.print(lines);
      return Exit.OK.code();
    }
  }

  private static Object document(Cluster cluster) {
    var document = new LinkedHashMap<String, Object>();
    document.put("name", cluster.name());
    document.put("namespace", cluster.namespace());
    cluster.upgrade().ifPresent(u -> document.put("upgrade", u));
    document.put("history", cluster.status().map(StatefulClusterStatus::history).orElse(List.of()));
    return document;
  }
}
