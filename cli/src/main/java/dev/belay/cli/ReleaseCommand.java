package dev.belay.cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code belay release}. */
@Command(
    name = "release",
    description = {
      "Release workloads from the guard when their operator is gone.",
      "",
      "Makes your account the owner of each workload (annotation belay.dev/owner), then removes the"
          + " annotation and the label belay.dev/cluster. No pod restarts: the partition and"
          + " spec.paused stay as they are. Refused while the StatefulCluster exists and names the"
          + " workload. Needs the verb own on statefulclusters.belay.dev, which the role admin of a"
          + " namespace includes.",
      "",
      "With --all: releases every workload of the namespace and removes the labels that the operator"
          + " copied to it. Then removes the finalizer belay.dev/leave from the StatefulClusters and"
          + " sets status.owner.released, so that another operator can claim them. Prints what was"
          + " done for an upgrade and is not undone. Refused while an operator acts on one of the"
          + " StatefulClusters, which a renewed Lease shows within 16 s. Only a cluster admin may"
          + " write the status.",
      ""
    },
    sortOptions = false,
    exitCodeListHeading = AskCommands.EXIT_CODES,
    exitCodeList = {
      "0:released, or not guarded before",
      "4:refused, no such workload, no access, wrong arguments; the other objects are released"
    })
final class ReleaseCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..*",
      paramLabel = "KIND/NAME",
      description = "The workloads: statefulset/NAME or sts/NAME, deployment/NAME or deploy/NAME.")
  private List<String> names = List.of();

  @Option(
      names = "--all",
      description = "Release all that an operator which is gone left in the namespace.")
  private boolean all;

  @Option(
      names = "--force",
      description =
          "Release also while the StatefulCluster names the workload or cannot be read; with --all,"
              + " without a look at the Lease. A running operator marks the workload again.")
  private boolean force;

  @Mixin private CommonOptions common = new CommonOptions();

  private final Terminal process;

  ReleaseCommand(Terminal process) {
    this.process = process;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (all == !names.isEmpty()) {
      throw all
          ? new Trouble(
              "--all releases every workload of the namespace, and %s names one"
                  .formatted(names.getFirst()),
              "leave out one of the two")
          : new Trouble(
              "no workload is named, and --all is not set",
              "name workloads, as in belay release sts/NAME; or release all of the namespace with"
                  + " belay release --all");
    }
    List<WorkloadRef> workloads = names.stream().map(ReleaseCommand::workload).toList();
    Terminal terminal = common.on(process);
    try (Clusters clusters = common.open()) {
      int exit = Exit.OK.code();
      for (Supplier<String> step : steps(clusters, workloads)) {
        try {
          terminal.print(List.of(Line.of(step.get()).hanging(2)));
        } catch (Trouble e) {
          exit = Main.trouble(terminal, e);
        }
      }
      return exit;
    }
  }

  private List<Supplier<String>> steps(Clusters clusters, List<WorkloadRef> workloads)
      throws InterruptedException {
    var release =
        new Release(clusters.workloads(), clusters.namespace(), common.commands(), all || force);
    return all
        ? new ReleaseAll(clusters.leftovers(), release, Thread::sleep, force).steps()
        : workloads.stream().<Supplier<String>>map(w -> () -> release.run(w)).toList();
  }

  private static WorkloadRef workload(String name) {
    return WorkloadRef.parse(name)
        .orElseThrow(() ->
            new Trouble(
                "'%s' is neither statefulset/NAME nor deployment/NAME".formatted(name),
                "belay release --help"));
  }
}
