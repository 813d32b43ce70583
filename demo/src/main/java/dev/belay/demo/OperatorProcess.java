package dev.belay.demo;

import dev.belay.sandbox.Child;
import dev.belay.sandbox.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The operator as users run it: its own process, its own least-privilege account. */
public final class OperatorProcess implements AutoCloseable {

  private static final Duration GRACE = Duration.ofSeconds(5);

  /** One identity for all of them: after a kill the next one regains its own lease at once. */
  private static final String IDENTITY = "demo";

  private final Process process;
  private final Path log;

  private OperatorProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts it with the account that deploy/ made; its words go to {@code operator.log}. */
  public static OperatorProcess start(Sandbox sandbox, Repository repository, String... arguments) {
    Path kubeconfig = sandbox.kubeconfigFor("belay-system", "belay-operator");
    Path log = sandbox.dir().resolve("operator.log");
    List<String> command =
        List.of(
            repository.file("bin/belay-operator").toString(),
            "--kubeconfig",
            kubeconfig.toString(),
            "--identity",
            IDENTITY,
            "--metrics-port",
            "0");
    ProcessBuilder builder =
        new ProcessBuilder(Stream.concat(command.stream(), Stream.of(arguments)).toList())
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    // Pod names resolve by the sandbox's hosts file, as they would by the cluster's DNS. The second
    // compiler costs a short life more than it gives.
    builder
        .environment()
        .put(
            "JDK_JAVA_OPTIONS",
            "\"-Djdk.net.hosts.file=%s\" -XX:TieredStopAtLevel=1".formatted(sandbox.hostsFile()));
    return new OperatorProcess(Child.fork(builder), log);
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Complains with its last words when it is gone. */
  public void mustBeAlive() {
    if (!process.isAlive()) {
      throw new DemoException(
          "the operator ended with exit code " + process.exitValue(),
          "its last words: " + tail(),
          "see " + log);
    }
  }

  private String tail() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
    } catch (IOException e) {
      return "(unreadable: " + e.getMessage() + ")";
    }
  }

  /** SIGKILL: no good-bye, no last write. */
  public void kill() {
    process.destroyForcibly();
    join(Duration.ofSeconds(10));
  }

  private boolean join(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      return true;
    }
  }

  @Override
  public void close() {
    process.destroy();
    if (!join(GRACE)) {
      kill();
    }
  }
}
