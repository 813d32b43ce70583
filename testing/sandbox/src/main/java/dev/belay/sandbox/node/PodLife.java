package dev.belay.sandbox.node;

import dev.belay.sandbox.SandboxException;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One pod from its arrival at a node to its end. */
final class PodLife {
  private static final Logger LOG = LoggerFactory.getLogger(PodLife.class);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Machine machine;
  private final Environment.Setting setting;
  private final References references;
  private final Instant since;
  private final List<ContainerRunner> inits;
  private final List<ContainerRunner> mains;
  private final StatusWriter writer;
  private final CompletableFuture<Void> stopping = new CompletableFuture<>();
  private final CompletableFuture<Void> gone = new CompletableFuture<>();
  private volatile Pod pod;
  private volatile Map<String, Path> volumes = Map.of();
  private volatile Optional<String> refusal = Optional.empty();
  private volatile Instant killAt = Instant.MAX;
  private volatile boolean hurry;
  private volatile boolean silent;

  PodLife(Machine machine, Pod pod, String hostIp) {
    this.machine = machine;
    this.pod = pod;
    String namespace = pod.getMetadata().getNamespace();
    String ip = machine.addresses().of(namespace, pod.getMetadata().getName());
    this.setting =
        new Environment.Setting(
            pod, ip, hostIp, machine.apiServer().getHost(), machine.apiServer().getPort());
    this.references = new References(machine.client(), namespace);
    this.since =
        Optional.ofNullable(pod.getStatus().getStartTime())
            .map(Instant::parse)
            .orElseGet(Instant::now);
    boolean never = "Never".equals(policy());
    this.inits =
        runners(
            pod.getSpec().getInitContainers(),
            never ? ContainerRunner.Restart.NEVER : ContainerRunner.Restart.ON_FAILURE,
            pod.getStatus().getInitContainerStatuses());
    this.mains =
        runners(
            pod.getSpec().getContainers(),
            switch (policy()) {
              case "Never" -> ContainerRunner.Restart.NEVER;
              case "OnFailure" -> ContainerRunner.Restart.ON_FAILURE;
              default -> ContainerRunner.Restart.ALWAYS;
            },
            pod.getStatus().getContainerStatuses());
    this.writer = new StatusWriter(machine.client(), pod);
  }

  private List<ContainerRunner> runners(
      List<Container> containers, ContainerRunner.Restart restart, List<ContainerStatus> before) {
    List<ContainerRunner> runners = new ArrayList<>();
    for (Container container : containers) {
      // A sandbox that was stopped and started again restarts what ran before.
      int restarts =
          before.stream()
              .filter(status -> status.getName().equals(container.getName()))
              .filter(status -> status.getContainerID() != null)
              .mapToInt(status -> status.getRestartCount() + 1)
              .findFirst()
              .orElse(0);
      String waiting =
          pod.getSpec().getInitContainers().isEmpty() ? "ContainerCreating" : "PodInitializing";
      runners.add(
          new ContainerRunner(
              machine,
              this,
              container,
              restart,
              ContainerReport.fresh(container.getName(), container.getImage(), waiting, restarts)));
    }
    return List.copyOf(runners);
  }

  /** Lives this pod's life once the one that had its name and address before is gone. */
  void begin(CompletableFuture<Void> predecessor) {
    Thread.ofVirtual()
        .name("pod-" + pod.getMetadata().getName())
        .start(() -> {
          try {
            predecessor.join();
            live();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (IOException | RuntimeException e) {
            LOG.warn("pod {} was given up", fullName(), e);
          } finally {
            mains.forEach(ContainerRunner::kill);
            machine.hosts().remove(uid());
            writer.close();
            gone.complete(null);
          }
        });
  }

  private void live() throws InterruptedException, IOException {
    List<String> fields = Unsupported.in(pod.getSpec());
    if (!fields.isEmpty()) {
      refuse("the sandbox does not support " + String.join(", ", fields));
      stopping.join();
      finish();
      return;
    }
    Files.createDirectories(folder().resolve("logs"));
    publish();
    if (mountVolumes() && initialize()) {
      List<Thread> threads = new ArrayList<>();
      for (ContainerRunner main : mains) {
        threads.add(Thread.startVirtualThread(() -> runQuietly(main)));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    machine.hosts().remove(uid());
    stopping.join();
    finish();
  }

  private boolean initialize() throws InterruptedException {
    for (ContainerRunner init : inits) {
      if (!init.run()) {
        return false;
      }
    }
    return !isStopping();
  }

  private static void runQuietly(ContainerRunner runner) {
    try {
      runner.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean mountVolumes() throws InterruptedException {
    Volumes wanted =
        new Volumes(setting, references, folder().resolve("volumes"), machine.claims());
    while (!isStopping()) {
      try {
        volumes = wanted.prepare();
        return true;
      } catch (MissingReference | IOException | SandboxException | KubernetesClientException e) {
        warning("FailedMount", "MountVolume.SetUp failed: " + e.getMessage());
        stoppingWithin(RETRY);
      }
    }
    return false;
  }

  private void refuse(String why) {
    refusal = Optional.of(why);
    warning("Unsupported", why);
    publish();
  }

  /** The last words to the API server, and the traces on disk. */
  private void finish() throws IOException {
    if (!silent) {
      writer.finish(status());
      deleteObject();
    }
    Trees.delete(folder());
  }

  private void deleteObject() {
    try {
      machine
          .client()
          .raw(
              "/api/v1/namespaces/%s/pods/%s"
                  .formatted(references.namespace(), pod.getMetadata().getName()),
              "DELETE",
              Map.of(
                  "apiVersion",
                  "v1",
                  "kind",
                  "DeleteOptions",
                  "gracePeriodSeconds",
                  0,
                  "preconditions",
                  Map.of("uid", uid())));
    } catch (KubernetesClientException e) {
      LOG.debug("pod {} is deleted already: {}", fullName(), e.getMessage());
    }
  }

  /** The API server has another version of this pod. */
  void update(Pod newer) {
    Pod before = pod;
    pod = newer;
    if (newer.getMetadata().getDeletionTimestamp() != null) {
      long grace =
          Optional.ofNullable(newer.getMetadata().getDeletionGracePeriodSeconds()).orElse(0L);
      Instant asked = Instant.now().plusSeconds(grace);
      // The deadline may come closer with a second delete; it never moves away.
      killAt = asked.isBefore(killAt) ? asked : killAt;
      stopping.complete(null);
      return;
    }
    if (writer.isOverruled(newer)) {
      publish();
    }
    if (!newer.getSpec().getEphemeralContainers().isEmpty()) {
      warning("Unsupported", "the sandbox does not support spec.ephemeralContainers");
    }
    for (int i = 0; i < newer.getSpec().getContainers().size(); i++) {
      String image = newer.getSpec().getContainers().get(i).getImage();
      if (!image.equals(before.getSpec().getContainers().get(i).getImage())) {
        warning("Unsupported", "the sandbox does not change spec.containers[].image in place");
      }
    }
  }

  /** Ends the processes without a word to the API server: the object is gone, or the node is. */
  void drop(Duration grace) {
    silent = true;
    writer.close();
    killAt = Instant.now().plus(grace);
    hurry = grace.isZero();
    stopping.complete(null);
    if (hurry) {
      inits.forEach(ContainerRunner::kill);
      mains.forEach(ContainerRunner::kill);
    }
  }

  void publish() {
    StatusOf status = status();
    boolean over = status.phase().equals("Succeeded") || status.phase().equals("Failed");
    if (refusal.isEmpty() && !over && !gone.isDone()) {
      machine.hosts().put(uid(), hostsEntry(status.ready()));
    }
    if (!silent) {
      writer.submit(status);
    }
  }

  private Hosts.Entry hostsEntry(boolean ready) {
    Optional<String> full =
        Optional.ofNullable(pod.getSpec().getSubdomain())
            .filter(subdomain -> !subdomain.isEmpty())
            .map(subdomain -> Environment.hostname(pod) + "." + subdomain);
    Map<String, String> labels =
        Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of());
    return new Hosts.Entry(
        references.namespace(),
        pod.getMetadata().getName(),
        full,
        setting.podIp(),
        Map.copyOf(labels),
        ready);
  }

  private StatusOf status() {
    long generation = Optional.ofNullable(pod.getMetadata().getGeneration()).orElse(0L);
    return new StatusOf(
        new StatusOf.Place(setting.podIp(), setting.hostIp(), since, generation),
        policy(),
        inits.stream().map(ContainerRunner::report).toList(),
        mains.stream().map(ContainerRunner::report).toList(),
        refusal);
  }

  private String policy() {
    return Optional.ofNullable(pod.getSpec().getRestartPolicy()).orElse("Always");
  }

  /** Waits that long; true as soon as the pod has to end. */
  boolean stoppingWithin(Duration wait) throws InterruptedException {
    try {
      stopping.get(wait.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException notYet) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  Optional<ContainerRunner> container(String name) {
    return Stream.concat(mains.stream(), inits.stream())
        .filter(runner -> runner.container().getName().equals(name))
        .findFirst();
  }

  Optional<Long> mainPid() {
    return mains.getFirst().process().map(ProcessHandle::pid);
  }

  CompletableFuture<Void> stopping() {
    return stopping;
  }

  CompletableFuture<Void> gone() {
    return gone;
  }

  boolean isStopping() {
    return stopping.isDone();
  }

  boolean mustDieNow() {
    return hurry;
  }

  Instant killAt() {
    return killAt;
  }

  Duration gracePeriod() {
    return Duration.ofSeconds(
        Optional.ofNullable(pod.getSpec().getTerminationGracePeriodSeconds()).orElse(30L));
  }

  Pod pod() {
    return pod;
  }

  String uid() {
    return pod.getMetadata().getUid();
  }

  String fullName() {
    return "%s_%s(%s)".formatted(pod.getMetadata().getName(), references.namespace(), uid());
  }

  Environment.Setting setting() {
    return setting;
  }

  References references() {
    return references;
  }

  Map<String, Path> volumes() {
    return volumes;
  }

  Path folder() {
    return machine.podFolder(uid());
  }

  void normal(String reason, String message) {
    if (!silent) {
      machine.events().normal(pod, reason, message);
    }
  }

  void warning(String reason, String message) {
    if (!silent) {
      machine.events().warning(pod, reason, message);
    }
  }
}
