package dev.belay.sandbox.node;

import dev.belay.sandbox.node.ContainerState.Running;
import dev.belay.sandbox.node.ContainerState.Terminated;
import dev.belay.sandbox.node.ContainerState.Waiting;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Runs one container of a pod, again and again as the restart policy says. */
final class ContainerRunner {
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration LEAST_GRACE_AFTER_HOOK = Duration.ofSeconds(2);

  /** When a container that ended is started again. */
  enum Restart {
    ALWAYS,
    ON_FAILURE,
    NEVER;

    boolean after(int exitCode) {
      return this == ALWAYS || (this == ON_FAILURE && exitCode != 0);
    }
  }

  private final Machine machine;
  private final PodLife pod;
  private final Container container;
  private final Restart restart;
  private final Backoff crashes;
  private volatile ContainerReport report;
  private volatile Launcher.@Nullable Started current;

  ContainerRunner(
      Machine machine, PodLife pod, Container container, Restart restart, ContainerReport report) {
    this.machine = machine;
    this.pod = pod;
    this.container = container;
    this.restart = restart;
    this.report = report;
    this.crashes = new Backoff(machine.backoff());
  }

  ContainerReport report() {
    return report;
  }

  Container container() {
    return container;
  }

  Optional<ProcessHandle> process() {
    return Optional.ofNullable(current).flatMap(Launcher.Started::first);
  }

  /** Returns when the container will not run any more; true when it ended well. */
  boolean run() throws InterruptedException {
    while (!pod.isStopping()) {
      Instant began = Instant.now();
      Optional<Launch> launch = prepare();
      if (launch.isEmpty()) {
        return false;
      }
      int exitCode = once(launch.get());
      if (pod.isStopping() || !restart.after(exitCode)) {
        return exitCode == 0;
      }
      backOff(Duration.between(began, Instant.now()));
      change(was -> was.attempt(was.restarts() + 1, was.id()));
    }
    return false;
  }

  /** SIGKILL, at once. */
  void kill() {
    process().ifPresent(ProcessHandle::destroyForcibly);
  }

  private void backOff(Duration lasted) throws InterruptedException {
    Duration wait = crashes.after(lasted);
    if (wait.isZero()) {
      return;
    }
    change(was ->
        was.in(
            new Waiting(
                "CrashLoopBackOff",
                "back-off %s restarting failed container=%s pod=%s"
                    .formatted(text(wait), container.getName(), pod.fullName()))));
    pod.warning(
        "BackOff",
        "Back-off restarting failed container %s in pod %s"
            .formatted(container.getName(), pod.fullName()));
    pod.stoppingWithin(wait);
  }

  /** Waits for the image and for everything the container refers to; empty when stopped. */
  private Optional<Launch> prepare() throws InterruptedException {
    Backoff pulls = new Backoff(machine.backoff());
    Optional<Path> image = machine.images().find(container.getImage());
    for (boolean first = true; image.isEmpty(); first = false) {
      notPulled(first);
      // The first wait of a back-off is none, which is for restarts, not for pulls.
      Duration wait = pulls.after(Duration.ZERO);
      if (pod.stoppingWithin(wait.isZero() ? pulls.after(Duration.ZERO) : wait)) {
        return Optional.empty();
      }
      image = machine.images().find(container.getImage());
    }
    while (!pod.isStopping()) {
      try {
        return Optional.of(launch(image.get()));
      } catch (MissingReference | KubernetesClientException | IOException e) {
        String message = String.valueOf(e.getMessage());
        change(was -> was.in(new Waiting("CreateContainerConfigError", message)));
        pod.warning("Failed", "Error: " + message);
        pod.stoppingWithin(RETRY);
      }
    }
    return Optional.empty();
  }

  private void notPulled(boolean first) {
    String image = container.getImage();
    String cause =
        "failed to pull image \"%s\": not found: no folder %s"
            .formatted(image, machine.images().folder().resolve(Images.relative(image)));
    change(was -> was.in(new Waiting("ErrImagePull", cause)));
    pod.warning("Failed", "Failed to pull image \"%s\": %s".formatted(image, cause));
    pod.warning("Failed", "Error: ErrImagePull");
    if (!first) {
      pod.normal("BackOff", "Back-off pulling image \"%s\"".formatted(image));
    }
    change(was ->
        was.in(
            new Waiting(
                "ImagePullBackOff",
                "Back-off pulling image \"%s\": ErrImagePull: %s".formatted(image, cause))));
  }

  private Launch launch(Path image) throws MissingReference, IOException {
    Environment environment = Environment.of(container, pod.setting(), pod.references());
    Path folder = pod.folder().resolve(container.getName());
    int attempt = report.restarts();
    Trees.delete(folder.resolve(String.valueOf(attempt - 1)));
    return new Launch(
        folder.resolve(String.valueOf(attempt)),
        Environment.hostname(pod.pod()),
        machine.hosts().of(pod.references().namespace()),
        image,
        Volumes.mounts(container, pod.volumes()),
        Optional.ofNullable(container.getWorkingDir()).filter(dir -> !dir.isEmpty()),
        environment,
        log(attempt));
  }

  int attempt() {
    return report.restarts();
  }

  /** Whether there may be more in the log of the current attempt. */
  boolean mayWrite() {
    return !(report.state() instanceof Terminated);
  }

  Path log(int attempt) {
    return pod.folder().resolve("logs").resolve(container.getName() + "." + attempt);
  }

  private int once(Launch launch) throws InterruptedException {
    String id = "sandbox://%s/%s/%d".formatted(pod.uid(), container.getName(), report.restarts());
    Instant began = Instant.now();
    try {
      boolean runnable =
          !container.getCommand().isEmpty()
              || Files.isExecutable(launch.image().resolve("entrypoint"));
      if (!runnable) {
        throw new IOException(
            "exec: entrypoint of image %s is missing or not executable"
                .formatted(container.getImage()));
      }
      Launcher.Started started = machine.launcher().start(launch);
      current = started;
      change(was -> was.attempt(was.restarts(), id).in(new Running(began)));
      pod.normal("Started", "Started container " + container.getName());
      int exitCode = attend(started);
      String reason = exitCode == 0 ? "Completed" : "Error";
      change(was -> was.in(new Terminated(exitCode, reason, "", began, Instant.now(), id)));
      return exitCode;
    } catch (IOException e) {
      String message = String.valueOf(e.getMessage());
      pod.warning("Failed", "Error: " + message);
      change(was -> was.in(new Terminated(128, "StartError", message, began, Instant.now(), id)));
      return 128;
    } finally {
      current = null;
    }
  }

  /** Stays with the process until it ended, by itself or because it had to. */
  private int attend(Launcher.Started started) throws InterruptedException {
    Handler handler = new Handler(machine.launcher(), container, started, pod.setting().podIp());
    CompletableFuture<Instant> condemned = new CompletableFuture<>();
    CompletableFuture<Process> ended = started.wrapper().onExit();
    try (Prober prober = Prober.start(container, handler, new Told(condemned))) {
      CompletableFuture.anyOf(ended, condemned, pod.stopping()).join();
      if (!ended.isDone()) {
        prober.terminating();
        terminate(started, handler, condemned);
      }
      return started.await();
    }
  }

  private void terminate(
      Launcher.Started started, Handler handler, CompletableFuture<Instant> condemned)
      throws InterruptedException {
    pod.normal("Killing", "Stopping container " + container.getName());
    LifecycleHandler preStop =
        container.getLifecycle() == null ? null : container.getLifecycle().getPreStop();
    Instant earliestKill = Instant.MIN;
    if (preStop != null && deadline(condemned).isAfter(Instant.now())) {
      Duration limit = Duration.between(Instant.now(), deadline(condemned));
      Launcher.Outcome outcome = handler.hook(preStop, limit);
      if (!outcome.success()) {
        pod.warning("FailedPreStopHook", "PreStopHook failed: " + outcome.said());
      }
      earliestKill = Instant.now().plus(LEAST_GRACE_AFTER_HOOK);
    }
    started.first().ifPresent(ProcessHandle::destroy);
    boolean ended = false;
    while (!ended) {
      Instant kill = deadline(condemned);
      boolean hurry = pod.mustDieNow();
      Instant at = kill.isBefore(earliestKill) && !hurry ? earliestKill : kill;
      Duration left = Duration.between(Instant.now(), at);
      if (hurry || !left.isPositive()) {
        kill();
        return;
      }
      // A second, shorter delete may move the deadline while we wait.
      ended = started.wrapper().waitFor(Math.min(left.toMillis() + 1, 200), TimeUnit.MILLISECONDS);
    }
  }

  private Instant deadline(CompletableFuture<Instant> condemned) {
    return pod.isStopping() ? pod.killAt() : condemned.getNow(Instant.MAX);
  }

  private synchronized void change(UnaryOperator<ContainerReport> to) {
    ContainerReport before = report;
    report = to.apply(before);
    if (!report.equals(before)) {
      pod.publish();
    }
  }

  private static String text(Duration wait) {
    return wait.toMillis() % 1000 == 0 ? wait.toSeconds() + "s" : wait.toMillis() + "ms";
  }

  /** Passes on what the probes found. */
  private final class Told implements Prober.Listener {
    private final CompletableFuture<Instant> condemned;

    Told(CompletableFuture<Instant> condemned) {
      this.condemned = condemned;
    }

    @Override
    public void started() {
      change(was -> was.state() instanceof Running ? was.started(true) : was);
    }

    @Override
    public void ready(boolean yes) {
      change(was -> was.state() instanceof Running ? was.ready(yes) : was);
    }

    @Override
    public void unhealthy(String message) {
      pod.warning("Unhealthy", message);
    }

    @Override
    public void mustRestart(String message, Optional<Duration> grace) {
      pod.normal("Killing", message);
      condemned.complete(Instant.now().plus(grace.orElse(pod.gracePeriod())));
    }
  }
}
