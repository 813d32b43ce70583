package dev.belay.demo;

import dev.belay.sandbox.SandboxException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The demonstration's process: arguments, signals, exit code. */
@Command(
    name = "belay-demo",
    description = {
      "Upgrades a real etcd under a client that writes all the time: without Belay, then with it.",
      "Ends with 0 only if nothing was lost with Belay and every member runs the last version."
    },
    mixinStandardHelpOptions = true,
    version = "belay 0.1.0")
public final class Main implements Callable<Integer> {

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Keep the sandbox's files in this folder. Default: a temporary one, removed at the end.")
  private @Nullable Path dir;

  private final Stage stage = Stage.open();

  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    boolean keep = dir != null;
    Path folder = dir != null ? dir : Files.createTempDirectory("belay-demo-");
    var play = new Play(stage, folder);
    var player = Thread.currentThread();
    var over = new CountDownLatch(1);
    // Ctrl-C and SIGTERM come in the middle of an act: it is ended first, then all it started.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> {
              stage.close("stopped");
              interrupt(player, over);
              play.close();
              if (!keep) {
                remove(folder);
              }
            }));
    try {
      return play.run() ? 0 : 1;
    } catch (DemoException e) {
      return failed(e.text(), folder);
    } catch (SandboxException e) {
      return failed("error: " + e.getMessage(), folder);
    } catch (KubernetesClientException e) {
      return failed("error: the API server answered: " + e.getMessage(), folder);
    } finally {
      over.countDown();
    }
  }

  private static void interrupt(Thread player, CountDownLatch over) {
    if (over.getCount() == 0) {
      return;
    }
    player.interrupt();
    try {
      if (!over.await(10, TimeUnit.SECONDS)) {
        System.err.println("belay-demo: the act under way did not end in 10 s; going on");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int failed(String text, Path folder) {
    stage.close(text + "\n" + logs(folder));
    return 1;
  }

  /** With a folder of the user's the files stay; without, their ends are worth a look now. */
  private String logs(Path folder) {
    if (dir != null) {
      return "  logs: " + folder.resolve("logs") + " and " + folder.resolve("operator.log");
    }
    Path log = folder.resolve("operator.log");
    try {
      List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
      return "  the operator's last words (--dir DIR keeps all of them):\n"
          + String.join("\n", lines.subList(Math.max(0, lines.size() - 10), lines.size()));
    } catch (IOException e) {
      return "  the operator's log cannot be read: " + e.getMessage();
    }
  }

  private static void remove(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("belay-demo: " + folder + " was not removed: " + e.getMessage());
    }
  }
}
