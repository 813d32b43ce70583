package dev.belay.bench;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;

/**
 * What pods that no StatefulCluster names cost the operator: its memory and its CPU time at rest,
 * without and with thousands of them in the very namespace it works in.
 */
record ForeignPods(KubernetesClient client, String namespace, long pid) {

  private static final Duration WINDOW = Duration.ofSeconds(60);

  /** The kernel counts CPU time in hundredths of a second. */
  private static final double TICKS = 100;

  private record Cost(double megabytes, double cpuSeconds) {}

  void measure(int count) throws IOException, InterruptedException {
    Thread.sleep(WINDOW); // What a young process still has to load and compile is not meant.
    Cost without = cost();
    create(count);
    Cost with = cost();
    System.out.printf(Locale.ROOT, "%nThe operator at rest, over %d s each:%n", WINDOW.toSeconds());
    row("without foreign pods", without);
    row("with " + count, with);
  }

  private static void row(String name, Cost cost) {
    System.out.printf(
        Locale.ROOT,
        "%-22s %6.0f MB resident %8.2f s of CPU time%n",
        name,
        cost.megabytes(),
        cost.cpuSeconds());
  }

  private Cost cost() throws IOException, InterruptedException {
    double before = cpuSeconds();
    Thread.sleep(WINDOW);
    return new Cost(megabytes(), cpuSeconds() - before);
  }

  private double megabytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
        .filter(l -> l.startsWith("VmRSS:"))
        .mapToDouble(l -> Double.parseDouble(l.replaceAll("\\D", "")) / 1024)
        .findFirst()
        .orElseThrow();
  }

  private double cpuSeconds() throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
    return (Double.parseDouble(fields.get(11)) + Double.parseDouble(fields.get(12))) / TICKS;
  }

  /** Pods that no scheduler looks at: objects like any other, but nothing runs. */
  private void create(int count) {
    try (var threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < count; i++) {
        String name = "foreign-" + i;
        threads.execute(() -> client.resource(pod(name)).create());
      }
    }
    int there =
        client.pods().inNamespace(namespace).withLabel("app", "foreign").list().getItems().size();
    if (there != count) {
      throw new IllegalStateException(there + " of " + count + " foreign pods were created");
    }
  }

  private Pod pod(String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(name)
        .addToLabels("app", "foreign")
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("nobody")
        .addNewContainer()
        .withName("app")
        .withImage("app:1")
        .endContainer()
        .endSpec()
        .build();
  }
}
