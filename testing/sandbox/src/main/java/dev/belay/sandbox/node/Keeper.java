package dev.belay.sandbox.node;

import dev.belay.sandbox.Child;
import dev.belay.sandbox.SandboxException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The first process of a PID namespace that all containers of a sandbox live in.
 *
 * <p>When it dies the kernel kills them all, also those that changed their user and so lost the
 * parent-death signal; and it dies with this JVM. Where we are not root it holds the user namespace
 * too, in which we are.
 */
final class Keeper implements AutoCloseable {
  private final Process process;
  private final long pid;
  private final boolean privileged;

  private Keeper(Process process, long pid, boolean privileged) {
    this.process = process;
    this.pid = pid;
    this.privileged = privileged;
  }

  static Keeper start() {
    boolean root = "root".equals(System.getProperty("user.name"));
    List<String> complaints = new ArrayList<>();
    for (boolean privileged : root ? List.of(true, false) : List.of(false)) {
      Optional<Keeper> keeper = start(privileged, complaints);
      if (keeper.isPresent()) {
        return keeper.get();
      }
    }
    throw new SandboxException(
        "pods need Linux namespaces and this system refuses them (%s); run as root, or allow user namespaces: sysctl kernel.unprivileged_userns_clone=1"
            .formatted(String.join("; ", complaints)));
  }

  private static Optional<Keeper> start(boolean privileged, List<String> complaints) {
    List<String> command = new ArrayList<>(List.of("unshare"));
    if (!privileged) {
      command.addAll(List.of("--user", "--map-root-user"));
    }
    // Trying the mount namespace here too: every container needs one.
    command.addAll(List.of("--mount", "--pid", "--fork", "--kill-child=KILL", "--"));
    command.addAll(
        List.of("sh", "-c", "read -r pid rest </proc/self/stat; echo $pid; exec sleep infinity"));
    Process process = Child.fork(new ProcessBuilder(command).redirectErrorStream(true));
    try {
      String line = process.inputReader(StandardCharsets.UTF_8).readLine();
      if (line != null && line.matches("\\d+")) {
        return Optional.of(new Keeper(process, Long.parseLong(line), privileged));
      }
      complaints.add(line == null ? "unshare failed" : line);
      process.destroyForcibly();
      return Optional.empty();
    } catch (IOException e) {
      throw new SandboxException("cannot talk to unshare", e);
    }
  }

  boolean privileged() {
    return privileged;
  }

  /**
   * The command that runs another one in fresh namespaces of its own under this keeper.
   *
   * <p>A shell forks it and not unshare, which says 1 instead of 137 for a child that was killed.
   */
  List<String> isolated(List<String> command) {
    List<String> words = new ArrayList<>(List.of("nsenter", "--target", String.valueOf(pid)));
    words.addAll(user());
    words.addAll(List.of("--pid", "--", "unshare", "--mount", "--uts", "--pid", "--"));
    words.addAll(List.of("sh", "-c", "\"$@\" & wait $!", "sh"));
    words.addAll(command);
    return words;
  }

  /** The command that runs another one inside the container of this process. */
  List<String> inside(long container, List<String> command) {
    List<String> words = new ArrayList<>(List.of("nsenter", "--target", String.valueOf(container)));
    words.addAll(user());
    words.addAll(List.of("--mount", "--uts", "--pid", "--root", "--"));
    words.addAll(command);
    return words;
  }

  private List<String> user() {
    return privileged ? List.of() : List.of("--user", "--preserve-credentials");
  }

  @Override
  public void close() {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
