package dev.belay.api.guard;

import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** One real control plane for all tests of this module, with everything of deploy/ in it. */
public final class Plane {

  /** How a kubectl call ended. */
  public record Answer(int exit, String out, String err) {
    public String all() {
      return out + err;
    }
  }

  private static final Path DEPLOY = Path.of("../deploy");
  private static final String TEN_LINES = "../examples/etcd-statefulcluster.yaml";
  private static final ControlPlane PLANE = start();
  private static boolean installed;

  /** As cluster-admin. */
  public static KubernetesClient admin() {
    return PLANE.client();
  }

  public static Path adminKubeconfig() {
    return PLANE.adminKubeconfig();
  }

  public static Path user(String name, String... groups) {
    return PLANE.kubeconfigForUser(name, groups);
  }

  public static Path account(String namespace, String name) {
    return PLANE.kubeconfigFor(namespace, name);
  }

  /** By SIGKILL, or in order. */
  static void restartApiServer(boolean killed) {
    PLANE.restartApiServer(killed);
  }

  static List<String> etcdctl(String... arguments) {
    return PLANE.etcdctl(arguments);
  }

  public static Answer kubectl(Path kubeconfig, String stdin, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(PLANE.kubectl().toString());
    command.add("--kubeconfig=" + kubeconfig);
    command.add("--cache-dir=" + PLANE.dir().resolve("kubectl-cache"));
    command.addAll(List.of(arguments));
    try {
      Process process = new ProcessBuilder(command).start();
      var out = CompletableFuture.supplyAsync(() -> read(process.getInputStream()));
      var err = CompletableFuture.supplyAsync(() -> read(process.getErrorStream()));
      try (var in = process.getOutputStream()) {
        in.write(stdin.getBytes(StandardCharsets.UTF_8));
      }
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("kubectl did not end: " + command);
      }
      return new Answer(process.exitValue(), out.join(), err.join());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Fails when kubectl fails. */
  public static String must(String stdin, String... arguments) {
    Answer answer = kubectl(adminKubeconfig(), stdin, arguments);
    if (answer.exit() != 0) {
      throw new AssertionError(String.join(" ", arguments) + ": " + answer.all());
    }
    return answer.out();
  }

  /** Asks until it is so; the last answer is what counts. */
  public static void eventually(String what, BooleanSupplier so) {
    Instant end = Instant.now().plus(Duration.ofSeconds(60));
    while (!so.getAsBoolean()) {
      if (Instant.now().isAfter(end)) {
        throw new AssertionError("not within a minute: " + what);
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** In one place that the next run wipes, so that the logs of a failed run can be read. */
  private static ControlPlane start() {
    Path dir = Path.of("target/plane", System.getProperty("belay.fork", "only")).toAbsolutePath();
    try {
      if (Files.exists(dir)) {
        wipe(dir);
      }
      ControlPlane plane = ControlPlane.start(Files.createDirectories(dir));
      Runtime.getRuntime().addShutdownHook(new Thread(plane::close));
      return plane;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void wipe(Path dir) throws IOException {
    try (var files = Files.walk(dir)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** What README tells a user to do; over when a StatefulCluster can be created. */
  static String install() {
    String said =
        must("", "apply", "-k", DEPLOY.resolve("shared").toString())
            + must("", "apply", "-k", DEPLOY.toString());
    served();
    return said;
  }

  /**
   * A mutating policy learns a new kind's schema a moment after the kind is served; until then the
   * API server answers 503 to every object of that kind.
   */
  static void served() {
    eventually(
        "a StatefulCluster passes admission",
        () ->
            kubectl(adminKubeconfig(), "", "create", "--dry-run=server", "-f", TEN_LINES).exit()
                == 0);
  }

  /** Once for all tests. */
  static synchronized void installed() {
    if (!installed) {
      install();
      installed = true;
    }
  }

  private static String read(InputStream in) {
    try (in) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Plane() {}
}
