package dev.belay.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What the tests do with pods again and again. */
record Pods(Sandbox sandbox) {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** An image that does nothing by itself. */
  static void image(Path images, String relative) throws IOException {
    Path folder = Files.createDirectories(images.resolve(relative));
    Path entrypoint = folder.resolve("entrypoint");
    Files.writeString(entrypoint, "#!/bin/sh\necho \"entrypoint $*\"\nexec sleep infinity\n");
    assertThat(entrypoint.toFile().setExecutable(true)).isTrue();
  }

  KubernetesClient client() {
    return sandbox.client();
  }

  /** Creates what the YAML holds; fabric8 takes text that begins with a brace for JSON. */
  void apply(String yaml) {
    List<HasMetadata> objects =
        client()
            .load(new ByteArrayInputStream(("---\n" + yaml).getBytes(StandardCharsets.UTF_8)))
            .items();
    objects.forEach(object -> client().resource(object).inNamespace("default").create());
  }

  Pod await(String name, Predicate<Pod> condition) {
    return client()
        .pods()
        .inNamespace("default")
        .withName(name)
        .waitUntilCondition(condition, PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  Pod awaitReady(String name) {
    return await(name, Pods::ready);
  }

  void awaitGone(String name) {
    await(name, pod -> pod == null);
  }

  void delete(String name) {
    client().pods().inNamespace("default").withName(name).delete();
  }

  static boolean ready(Pod pod) {
    return pod != null && condition(pod, "Ready").equals("True");
  }

  static String condition(Pod pod, String type) {
    return pod.getStatus().getConditions().stream()
        .filter(c -> c.getType().equals(type))
        .map(c -> c.getStatus())
        .findFirst()
        .orElse("");
  }

  static ContainerStatus first(Pod pod) {
    return pod.getStatus().getContainerStatuses().getFirst();
  }

  static boolean waiting(Pod pod, String reason) {
    return pod != null
        && pod.getStatus().getContainerStatuses().stream()
            .anyMatch(c ->
                c.getState().getWaiting() != null
                    && reason.equals(c.getState().getWaiting().getReason()));
  }

  String kubectl(String... words) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                sandbox.kubectl().toString(),
                "--kubeconfig",
                sandbox.adminKubeconfig().toString()));
    command.addAll(List.of(words));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }

  /** The folder behind a claim, as the node mounts it. */
  Path claimFolder(String claim) {
    String volume =
        client()
            .persistentVolumeClaims()
            .inNamespace("default")
            .withName(claim)
            .waitUntilCondition(
                c -> c != null && c.getSpec().getVolumeName() != null, 30, TimeUnit.SECONDS)
            .getSpec()
            .getVolumeName();
    return Path.of(
        client().persistentVolumes().withName(volume).get().getSpec().getHostPath().getPath());
  }

  List<String> events(String pod) {
    return client().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> pod.equals(event.getInvolvedObject().getName()))
        .map(event -> event.getReason() + ": " + event.getMessage())
        .toList();
  }

  static void until(String what, Callable<Boolean> condition) throws Exception {
    Instant limit = Instant.now().plus(PATIENCE);
    while (!condition.call()) {
      assertThat(Instant.now()).as(what).isBefore(limit);
      Thread.sleep(30);
    }
  }

  /** Command lines of this machine that contain a text; reads /proc, which hides nothing cut. */
  static List<String> commandsWith(String text) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      for (ProcessHandle process : all.toList()) {
        Path file = Path.of("/proc", String.valueOf(process.pid()), "cmdline");
        try {
          String line = Files.readString(file, StandardCharsets.ISO_8859_1).replace('\0', ' ');
          if (line.contains(text) && process.pid() != ProcessHandle.current().pid()) {
            found.add(process.pid() + " " + line);
          }
        } catch (IOException ended) {
          // Nothing to find: the process is gone.
        }
      }
    }
    return found;
  }
}
