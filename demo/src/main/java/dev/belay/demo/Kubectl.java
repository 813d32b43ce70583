package dev.belay.demo;

import dev.belay.sandbox.Child;
import dev.belay.sandbox.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The real kubectl, with the rights of a cluster admin: what a user would type. */
public record Kubectl(Path program, Path kubeconfig, Path workingDir) {

  /** How a command ended; {@code output} holds both streams. */
  public record Result(int exitCode, String output) {

    public boolean ok() {
      return exitCode == 0;
    }
  }

  public static Kubectl of(Sandbox sandbox, Repository repository) {
    return new Kubectl(sandbox.kubectl(), sandbox.adminKubeconfig(), repository.root());
  }

  /** Runs it, whatever comes of it. */
  public Result attempt(String... arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(workingDir.toFile())
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile());
    builder.environment().put("KUBECONFIG", kubeconfig.toString());
    Process process = Child.fork(builder);
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Result(process.waitFor(), output.strip());
    } catch (IOException e) {
      return new Result(-1, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      return new Result(-1, "interrupted");
    }
  }

  /** Runs it; it must succeed. */
  public String run(String... arguments) {
    Result result = attempt(arguments);
    if (!result.ok()) {
      throw new DemoException(
          "kubectl " + String.join(" ", arguments) + " failed",
          result.output(),
          "run it by hand with KUBECONFIG=" + kubeconfig);
    }
    return result.output();
  }

  /**
   * A new schema, and a new policy on what it describes, are there a moment after they were taken,
   * one after the other; in between a StatefulCluster is refused. Waits until the policy is seen at
   * work: it writes down who forces.
   */
  public void awaitStatefulClusters(Duration limit) {
    Path forced = forced();
    Await.until(
        "the API server takes a StatefulCluster",
        limit,
        () -> stamped(forced).output().contains("belay.dev/forced-by"),
        () -> stamped(forced).output());
  }

  private Result stamped(Path manifest) {
    return attempt("create", "--dry-run=server", "-o", "yaml", "-f", manifest.toString());
  }

  private Path forced() {
    try {
      String example =
          Files.readString(workingDir.resolve("examples/etcd-statefulcluster.yaml"))
              .replace(
                  "metadata:",
                  "metadata:\n  annotations: {belay.dev/force-rolling-update: \"true\"}");
      Path file = Files.createTempFile("belay-forced-", ".yaml");
      file.toFile().deleteOnExit();
      return Files.writeString(file, example);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
