package dev.belay.cli;

import java.time.Clock;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code belay explain}. */
@Command(
    name = "explain",
    description = {
      "Says of every member which rule holds it, what was read, since when and what the cure is,"
          + " and what happens next.",
      ""
    },
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:shown, whatever the state is",
      "4:no such cluster, no access, wrong arguments"
    })
final class ExplainCommand implements Callable<Integer> {

  @Parameters(index = "0", paramLabel = "NAME", description = "The StatefulCluster.")
  private String name = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "MEMBER",
      description = "Only this member, by the name of its pod.")
  private @Nullable String member;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "The same as a document: ${COMPLETION-CANDIDATES}.")
  private @Nullable Format format;

  @Mixin private CommonOptions common = new CommonOptions();

  private final Terminal process;
  private final Clock clock;

  ExplainCommand(Terminal process, Clock clock) {
    this.process = process;
    this.clock = clock;
  }

  @Override
  public Integer call() {
    Terminal terminal = common.on(process);
    try (Clusters clusters = common.open()) {
      Cluster cluster = clusters.read(clusters.get(name));
      var sight = new Sight(clock.instant(), terminal.glyphs(), common.commands());
      Explanation all = Explanation.of(cluster, sight);
      Explanation explanation = member == null ? all : all.only(member);
      if (format != null) {
        terminal.out().println(clusters.document(format, explanation).stripTrailing());
        terminal.out().flush();
      } else {
        terminal.print(new ExplainView(explanation, cluster, sight).lines());
      }
      return Exit.OK.code();
    }
  }
}
