package dev.belay.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A process that cannot outlive this JVM, whatever kills it. */
public record Child(String name, Process process, Path log) {
  /**
   * The kernel sends the parent-death signal when the <em>thread</em> that forked ends, so one
   * thread that never ends forks them all.
   */
  private static final ExecutorService FORKER =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("sandbox-forker").factory());

  /** Starts a program whose output goes to {@code log}. */
  static Child start(String name, Path log, List<String> command) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new Child(name, fork(builder), log);
  }

  /** Starts what the builder describes; it is killed when this JVM ends. */
  public static Process fork(ProcessBuilder builder) {
    String program = builder.command().getFirst();
    // In a session of its own, so that Ctrl-C reaches us alone and we end it in order.
    List<String> command =
        new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL", "--", "setsid", "--"));
    command.addAll(builder.command());
    builder.command(command);
    try {
      return FORKER.submit(builder::start).get();
    } catch (ExecutionException e) {
      throw new SandboxException(
          "cannot start %s: %s; setpriv and setsid (util-linux) must be on PATH"
              .formatted(program, e.getCause()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("interrupted while starting " + program, e);
    }
  }

  /** Complains with the end of the log if the process is gone. */
  void mustBeAlive() {
    if (!process.isAlive()) {
      throw new SandboxException(
          "%s ended with exit code %d; the end of %s:%n%s"
              .formatted(name, process.exitValue(), log, tail()));
    }
  }

  String tail() {
    try {
      List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
    } catch (IOException e) {
      return "(unreadable: " + e.getMessage() + ")";
    }
  }

  /** SIGTERM, and SIGKILL after the grace period. */
  void stop(Duration grace) {
    process.destroy();
    try {
      if (!process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
