package dev.belay.sandbox;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the sandbox. */
@Command(
    name = "belay-sandbox",
    mixinStandardHelpOptions = true,
    description = "A Kubernetes cluster on this machine, without containers.",
    subcommands = Main.Up.class)
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
    CommandLine line = new CommandLine(new Main());
    line.setExecutionExceptionHandler((e, command, parsed) -> {
      if (!(e instanceof SandboxException)) {
        throw e;
      }
      command.getErr().println("error: " + e.getMessage());
      return 1;
    });
    System.exit(args.length == 0 ? usage(line) : line.execute(args));
  }

  private static int usage(CommandLine line) {
    line.usage(line.getErr());
    return 2;
  }

  /** Runs a sandbox until somebody ends it. */
  @Command(
      name = "up",
      mixinStandardHelpOptions = true,
      description = {
        "Starts a control plane and nodes in the foreground.",
        "Ctrl-C, SIGTERM or the end of the calling process stops everything."
      })
  static final class Up implements Runnable {
    @Option(
        names = "--dir",
        required = true,
        paramLabel = "DIR",
        description = "Folder for its data, logs and DIR/kubeconfig; a used one is continued.")
    private Path dir = Path.of("");

    @Option(
        names = "--nodes",
        paramLabel = "N",
        description = "Number of nodes (default: ${DEFAULT-VALUE}).")
    private int nodes = 3;

    @Option(
        names = "--images",
        paramLabel = "DIR",
        description = "Folder of images (default: images in Belay's cache).")
    private @Nullable Path images;

    @Override
    public void run() {
      Optional<ProcessHandle> parent = ProcessHandle.current().parent();
      Sandbox.Options wanted = Sandbox.Options.in(dir).withNodes(nodes);
      Sandbox sandbox = Sandbox.start(images == null ? wanted : wanted.withImages(images));
      Runtime.getRuntime().addShutdownHook(new Thread(sandbox::close, "sandbox-close"));
      System.out.printf(
          "sandbox ready: export KUBECONFIG=%s (kubectl: %s; Ctrl-C stops it)%n",
          sandbox.adminKubeconfig(), sandbox.kubectl());
      System.out.flush();
      waitForEndOf(parent);
    }

    private static void waitForEndOf(Optional<ProcessHandle> parent) {
      try {
        while (ProcessHandle.current().parent().equals(parent)) {
          Thread.sleep(Duration.ofMillis(500));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
