package dev.belay.sandbox.node;

import dev.belay.sandbox.Child;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Starts containers and commands inside them. */
record Launcher(Keeper keeper, List<String> otherMounts) {

  /**
   * A container that runs: its first process, and the wrapper that ends with it. One that ended
   * before we looked has no process any more, and has run all the same.
   */
  record Started(long pid, Optional<ProcessHandle> first, Process wrapper, Launch launch) {
    /** The exit code; 128 + n for a process that signal n killed. */
    int await() throws InterruptedException {
      return wrapper.waitFor();
    }
  }

  /** What a command inside a container did. */
  record Outcome(boolean success, String said) {}

  static Launcher on(Keeper keeper) throws IOException {
    return new Launcher(keeper, mountsBesidesRoot());
  }

  /** Returns when the container's root stands and its process begins. */
  Started start(Launch launch) throws IOException {
    Files.createDirectories(launch.folder());
    Path script = launch.folder().resolve("start.sh");
    Files.writeString(script, launch.script(keeper.privileged(), otherMounts));
    if (!Files.exists(launch.log())) {
      Files.createFile(launch.log());
    }
    ProcessBuilder builder =
        new ProcessBuilder(keeper.isolated(List.of("sh", script.toString())))
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile());
    Process process = Child.fork(builder);
    List<String> said = new ArrayList<>();
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith("pid ")) {
        long pid = Long.parseLong(line.substring(4));
        return new Started(pid, ProcessHandle.of(pid), process, launch);
      }
      said.add(line);
    }
    throw new IOException("cannot set up the container: " + String.join(" ", said));
  }

  /** Runs a command inside a running container. */
  Outcome run(Started container, List<String> command, Duration timeout)
      throws IOException, InterruptedException {
    Process process =
        Child.fork(
            new ProcessBuilder(
                    keeper.inside(container.pid(), container.launch().inContainer(command)))
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile()));
    var said = new CompletableFuture<String>();
    Thread.startVirtualThread(() -> said.complete(firstKilobyte(process.getInputStream())));
    try {
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        return new Outcome(
            false, "command timed out after " + timeout.toSeconds() + "s: " + command);
      }
      // What the command left in the background may hold the pipe open.
      String text = said.completeOnTimeout("", 100, TimeUnit.MILLISECONDS).join();
      return new Outcome(process.exitValue() == 0, text);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static String firstKilobyte(InputStream output) {
    try {
      String text = new String(output.readNBytes(1024), StandardCharsets.UTF_8).strip();
      output.transferTo(OutputStream.nullOutputStream());
      return text;
    } catch (IOException closed) {
      return "";
    }
  }

  /** File systems of this machine besides / that programs may live on. */
  private static List<String> mountsBesidesRoot() throws IOException {
    List<String> mounts = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
      String point = line.split(" ", -1)[4].replace("\\040", " ");
      boolean special =
          point.equals("/")
              || List.of("/proc", "/sys", "/dev", "/run", "/tmp").stream()
                  .anyMatch(top -> point.equals(top) || point.startsWith(top + "/"));
      boolean inner =
          mounts.stream().anyMatch(outer -> point.equals(outer) || point.startsWith(outer + "/"));
      if (!special && !inner) {
        mounts.add(point);
      }
    }
    return mounts;
  }
}
