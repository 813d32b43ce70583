package dev.belay.cli;

import dev.belay.cli.Clusters.Choice;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code belay status}. */
@Command(
    name = "status",
    description = {
      "Shows StatefulClusters: without a name one line each, with a name its components, members"
          + " and what stands in the way.",
      ""
    },
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:shown, whatever the state is",
      "4:no such cluster, no access, wrong arguments"
    })
final class StatusCommand implements Callable<Integer> {

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "NAME",
      description = "The StatefulCluster. Default: all of the namespace.")
  private @Nullable String name;

  @Option(
      names = {"-w", "--watch"},
      description =
          "Goes on until Ctrl-C: redraws on a terminal, prints a line for each change in a pipe.")
  private boolean watch;

  @Option(
      names = {"-A", "--all-namespaces"},
      description = "Of all namespaces.")
  private boolean everywhere;

  @Option(
      names = {"-l", "--selector"},
      paramLabel = "SEL",
      description = "Only those with these labels, as kubectl takes them.")
  private @Nullable String selector;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "The objects as they are on the server: ${COMPLETION-CANDIDATES}.")
  private @Nullable Format format;

  @Mixin private CommonOptions common = new CommonOptions();

  private final Terminal process;
  private final Clock clock;

  StatusCommand(Terminal process, Clock clock) {
    this.process = process;
    this.clock = clock;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (name != null && (everywhere || selector != null)) {
      throw new Trouble(
          "a name chooses one StatefulCluster, %s several: %s"
              .formatted(everywhere ? "-A" : "-l", name),
          "leave out one of the two");
    }
    Terminal terminal = common.on(process);
    try (Clusters clusters = common.open()) {
      // Asked for before a watch begins, so that whoever mistypes a name learns it now.
      List<GenericKubernetesResource> found =
          name == null ? clusters.list(choice()) : List.of(clusters.get(name));
      if (watch) {
        watch(clusters, terminal);
      } else if (format != null) {
        terminal.out().println(clusters.document(format, document(found)).stripTrailing());
        terminal.out().flush();
      } else {
        show(clusters, terminal, found);
      }
      return Exit.OK.code();
    }
  }

  private Choice choice() {
    return new Choice(
        name == null ? "" : name, selector == null ? "" : selector, name == null && everywhere);
  }

  private void show(Clusters clusters, Terminal terminal, List<GenericKubernetesResource> found) {
    if (found.isEmpty()) {
      terminal.err().println(nothing(clusters));
      return;
    }
    Instant now = clock.instant();
    List<Cluster> shown = found.stream().map(clusters::read).toList();
    var lines = new ArrayList<>(view(terminal).lines(shown, now));
    if (name != null) {
      clusters
          .leaseOf(shown.getFirst())
          .warning(now)
          .ifPresent(text -> lines.add(Line.of(text, Hue.CARE).hanging(2)));
    }
    terminal.print(lines);
  }

  private void watch(Clusters clusters, Terminal terminal) throws InterruptedException {
    try (Changes changes = clusters.watch(choice())) {
      Watching watching = new Watching(clusters, changes, terminal, clock);
      if (format != null) {
        watching.documents(format);
      } else if (terminal.live()) {
        watching.redraw(view(terminal));
      } else {
        watching.lines(new ChangeView(everywhere, terminal.glyphs()));
      }
    }
  }

  private Watching.View view(Terminal terminal) {
    return (shown, now) -> {
      var sight = new Sight(now, terminal.glyphs(), common.commands());
      return name == null
          ? new ListView(everywhere).lines(shown, sight)
          : shown.stream().flatMap(c -> new TreeView(c, sight).lines().stream()).toList();
    };
  }

  private Object document(List<GenericKubernetesResource> found) {
    found.forEach(r -> r.getMetadata().setManagedFields(List.of()));
    if (name != null) {
      return found.getFirst();
    }
    var list = new LinkedHashMap<String, Object>();
    list.put("apiVersion", "v1");
    list.put("kind", "List");
    list.put("items", found);
    return list;
  }

  private String nothing(Clusters clusters) {
    String with = selector == null ? "" : " with labels " + selector;
    return everywhere
        ? "no StatefulClusters%s in any namespace".formatted(with)
        : "no StatefulClusters%s in namespace %s; belay status -A shows those of all"
            .formatted(with, clusters.namespace());
  }
}
