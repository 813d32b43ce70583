package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.sandbox.Binaries;
import dev.belay.sandbox.Child;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * An install of Belay: a release of charts/belay in a namespace of the same name.
 *
 * @param helm the major version of helm that installs, upgrades and uninstalls it
 */
record Release(Arena arena, String name, int helm) {

  private static final int THREE = 3;
  private static final int FOUR = 4;

  private static final String REPOSITORY = "belay/operator";

  /** Two versions of the operator, of the same sources. */
  static final String OLD = "0.1.0";

  static final String NEW = "0.2.0";

  /** Makes both images, before the pods that run them. */
  static void images(Arena arena) {
    for (String tag : List.of(OLD, NEW)) {
      try {
        Path image = Files.createDirectories(arena.images().resolve(REPOSITORY).resolve(tag));
        run(
            arena,
            arena.repository().file("testing/sandbox/images/belay/recipe").toString(),
            "make",
            tag,
            image.toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** By Helm 3, with the old version, and these values besides. */
  static Release install(Arena arena, String name, String... values) {
    return install(new Release(arena, name, THREE), values);
  }

  /** The same by Helm 4. */
  static Release installByHelm4(Arena arena, String name, String... values) {
    return install(new Release(arena, name, FOUR), values);
  }

  private static Release install(Release release, String... values) {
    release.helm(
        "install",
        Stream.concat(
                Stream.of("image.repository=" + REPOSITORY, "image.tag=" + OLD), Stream.of(values))
            .toArray(String[]::new));
    return release;
  }

  void upgrade(String... values) {
    helm("upgrade", values);
  }

  private void helm(String verb, String... values) {
    List<String> arguments =
        new ArrayList<>(List.of(verb, name, "charts/belay", "--create-namespace"));
    if (verb.equals("upgrade")) {
      arguments.set(3, "--reuse-values");
    }
    for (String value : values) {
      arguments.add("--set=" + value);
    }
    helm(arguments);
  }

  /** Returns when the Job of the chart has released the clusters of this install. */
  void uninstall() {
    helm(List.of("uninstall", name));
  }

  private void helm(List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(program(helm).toString()));
    command.addAll(arguments);
    command.add("--namespace=" + name);
    command.add("--kubeconfig=" + arena.sandbox().adminKubeconfig());
    run(arena, command.toArray(String[]::new));
  }

  private static void run(Arena arena, String... command) {
    var builder =
        new ProcessBuilder(command)
            .directory(arena.repository().root().toFile())
            .redirectErrorStream(true);
    for (String home : List.of("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")) {
      builder.environment().put(home, arena.folder().resolve("helm").toString());
    }
    Process process = Child.fork(builder);
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as("%s: %s", String.join(" ", command), said).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static Path program(int major) {
    try (Stream<Path> cached = Files.list(Binaries.cache())) {
      return cached
          .filter(p -> p.getFileName().toString().startsWith("helm-%d.".formatted(major)))
          .map(p -> p.resolve("helm"))
          .filter(Files::isExecutable)
          .findFirst()
          .orElseThrow(() ->
              new AssertionError(
                  "there is no helm %d in %s; fix: testing/sandbox/binaries/get helm helm-4"
                      .formatted(major, Binaries.cache())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String operator() {
    return name + "-operator";
  }

  /** The name of this install in {@code status.owner}. */
  String install() {
    return name + "/" + name;
  }

  /** The name under which the API server knows its pods. */
  String account() {
    return "system:serviceaccount:%s:%s".formatted(name, operator());
  }

  /** Waits until all pods are of this version and ready, and one of them holds the Lease. */
  void awaitRunning(String version, int replicas) {
    await(
        "%d pods of %s on %s".formatted(replicas, name, version),
        () -> {
          List<Pod> pods = pods();
          return pods.size() == replicas
              && pods.stream().allMatch(p -> PodHistory.serves(p) && version(p).equals(version))
              && leader().isPresent();
        });
  }

  void await(String what, BooleanSupplier condition) {
    new Place(arena, name).await(what, condition);
  }

  private static String version(Pod pod) {
    String image = pod.getSpec().getContainers().getFirst().getImage();
    return image.substring(image.lastIndexOf(':') + 1);
  }

  /** The pods of the operator, without those of Jobs. */
  List<Pod> pods() {
    return arena
        .client()
        .pods()
        .inNamespace(name)
        .withLabel("app.kubernetes.io/component", "operator")
        .list()
        .getItems();
  }

  /** The pod that acts. */
  Optional<String> leader() {
    String holder = holder();
    return pods().stream()
        .map(p -> p.getMetadata().getName())
        .filter(pod -> holder.startsWith(pod + "_"))
        .findFirst();
  }

  /** The process that holds the Lease; empty when none does. */
  String holder() {
    return Optional.ofNullable(arena.client().leases().inNamespace(name).withName(operator()).get())
        .map(Lease::getSpec)
        .map(spec -> Optional.ofNullable(spec.getHolderIdentity()).orElse(""))
        .orElse("");
  }

  /** The processes by pod: equal ones mean that no operator was restarted. */
  Map<String, Long> processes() {
    Map<String, Long> processes = new TreeMap<>();
    for (Pod pod : pods()) {
      String at = pod.getMetadata().getName();
      arena.sandbox().pidOf(name, at).ifPresent(pid -> processes.put(at, pid));
    }
    return processes;
  }

  /** How often the containers of its pods were started again. */
  int restarts() {
    return pods().stream()
        .flatMap(p -> p.getStatus().getContainerStatuses().stream())
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }

  void delete(String pod) {
    arena.client().pods().inNamespace(name).withName(pod).delete();
  }

  /** Without the pod its container cannot come back under the name that holds the Lease. */
  void kill(String pod) {
    long pid = arena.sandbox().pidOf(name, pod).orElseThrow();
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    arena.client().pods().inNamespace(name).withName(pod).withGracePeriod(0).delete();
  }

  /** The metrics of the pod that acts. */
  String metrics() {
    String leader = leader().orElseThrow();
    Pod pod =
        pods().stream()
            .filter(p -> p.getMetadata().getName().equals(leader))
            .findFirst()
            .orElseThrow();
    var page = URI.create("http://%s:8080/metrics".formatted(pod.getStatus().getPodIP()));
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
