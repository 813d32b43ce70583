package dev.belay.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

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
      ""
    },
    sortOptions = false,
    exitCodeListHeading = AskCommands.EXIT_CODES,
    exitCodeList = {
      "0:released, or not guarded before",
      "4:refused, no such workload, no access, wrong arguments; the other workloads are released"
    })
final class ReleaseCommand implements Callable<Integer> {

  /** Reads KIND/NAME. */
  static final class Converter implements ITypeConverter<WorkloadRef> {
    @Override
    public WorkloadRef convert(String text) {
      return WorkloadRef.parse(text)
          .orElseThrow(() ->
              new TypeConversionException(
                  "'%s' is neither statefulset/NAME nor deployment/NAME".formatted(text)));
    }
  }

  @Parameters(
      arity = "1..*",
      paramLabel = "KIND/NAME",
      converter = Converter.class,
      description = "The workloads: statefulset/NAME or sts/NAME, deployment/NAME or deploy/NAME.")
  private List<WorkloadRef> workloads = List.of();

  @Option(
      names = "--force",
      description =
          "Release also while the StatefulCluster names the workload or cannot be read. A running"
              + " operator marks the workload again.")
  private boolean force;

  @Mixin private CommonOptions common = new CommonOptions();

  private final Terminal process;

  ReleaseCommand(Terminal process) {
    this.process = process;
  }

  @Override
  public Integer call() {
    Terminal terminal = common.on(process);
    try (Clusters clusters = common.open()) {
      var release =
          new Release(clusters.workloads(), clusters.namespace(), common.commands(), force);
      int exit = Exit.OK.code();
      for (WorkloadRef workload : workloads) {
        try {
          terminal.print(List.of(Line.of(release.run(workload)).hanging(2)));
        } catch (Trouble e) {
          exit = Main.trouble(terminal, e);
        }
      }
      return exit;
    }
  }
}
