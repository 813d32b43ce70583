package dev.belay.cli;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.core.model.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code belay plan}. */
@Command(
    name = "plan",
    description = {
      "Says what Belay will do, step by step, if nothing goes wrong.",
      "",
      "Every leader that moves, every member that is let through, what is waited for, what needs an"
          + " approval, and the step after which there is no way back. The operator's own planner"
          + " answers; nothing is changed by asking. With --to the question is put to it by the"
          + " annotation belay.dev/plan-to, which is removed again.",
      ""
    },
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:shown, also when there is nothing to do",
      "4:no answer, no such cluster, no access, wrong arguments"
    })
final class PlanCommand implements Callable<Integer> {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration BETWEEN = Duration.ofMillis(200);

  @Parameters(index = "0", paramLabel = "NAME", description = "The StatefulCluster.")
  private String name = "";

  @Option(
      names = "--to",
      paramLabel = "VERSION",
      description = "Not for what is asked now, but for an upgrade to this version.")
  private String to = "";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "The same as a document: ${COMPLETION-CANDIDATES}.")
  private @Nullable Format format;

  @Mixin private CommonOptions common = new CommonOptions();

  private final Terminal process;

  PlanCommand(Terminal process) {
    this.process = process;
  }

  @Override
  public Integer call() throws InterruptedException {
    Terminal terminal = common.on(process);
    if (!to.isEmpty() && Version.parse(to).isEmpty()) {
      throw new Trouble(
          "--to \"" + to + "\" is no version",
          "write numbers and dots, then any suffix: 3.6.16, v1.2, 8.0.36-debian-12");
    }
    try (Clusters clusters = common.open()) {
      List<String> steps = to.isEmpty() ? underWay(clusters) : whatIf(clusters);
      if (format != null) {
        terminal.out().println(clusters.document(format, document(steps)).stripTrailing());
        terminal.out().flush();
        return Exit.OK.code();
      }
      if (steps.isEmpty()) {
        terminal.print(List.of(Line.of("nothing to do")));
        return Exit.OK.code();
      }
      terminal.print(numbered(steps));
      return Exit.OK.code();
    }
  }

  private List<String> underWay(Clusters clusters) {
    return clusters
        .read(clusters.get(name))
        .status()
        .map(StatefulClusterStatus::plan)
        .orElseThrow(() -> unanswered("it has no status yet"));
  }

  private List<String> whatIf(Clusters clusters) throws InterruptedException {
    clusters.get(name);
    clusters.annotate(name, "belay.dev/plan-to", to);
    try {
      for (Duration waited = Duration.ZERO;
          waited.compareTo(PATIENCE) < 0;
          waited = waited.plus(BETWEEN)) {
        Optional<List<String>> answer =
            clusters
                .read(clusters.get(name))
                .status()
                .map(StatefulClusterStatus::planned)
                .filter(p -> to.equals(p.to()))
                .map(StatefulClusterStatus.Planned::steps);
        if (answer.isPresent()) {
          return answer.get();
        }
        Thread.sleep(BETWEEN);
      }
    } finally {
      clusters.annotate(name, "belay.dev/plan-to", null);
    }
    throw unanswered("nobody answered within " + PATIENCE.toSeconds() + " s");
  }

  private Trouble unanswered(String why) {
    return new Trouble(
        "no plan of " + name + ": " + why,
        "see whether an operator runs and selects it: belay status " + name);
  }

  private Object document(List<String> steps) {
    var document = new LinkedHashMap<String, Object>();
    document.put("name", name);
    if (!to.isEmpty()) {
      document.put("to", to);
    }
    document.put("steps", steps);
    return document;
  }

  private static List<Line> numbered(List<String> steps) {
    int width = String.valueOf(steps.size()).length();
    var lines = new ArrayList<Line>();
    for (int i = 0; i < steps.size(); i++) {
      lines.add(
          Line.of(("%" + width + "d. ").formatted(i + 1)).and(steps.get(i)).hanging(width + 2));
    }
    return lines;
  }
}
