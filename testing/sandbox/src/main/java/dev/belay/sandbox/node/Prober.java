package dev.belay.sandbox.node;

import dev.belay.sandbox.SandboxException;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Probe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Asks a running container how it is, until it is closed. */
final class Prober implements AutoCloseable {

  /** Who is told. */
  interface Listener {
    void started();

    void ready(boolean yes);

    void unhealthy(String message);

    /** A startup or liveness probe gave up; the probe may shorten the grace period. */
    void mustRestart(String message, Optional<Duration> grace);
  }

  private final Container container;
  private final Handler handler;
  private final Listener listener;
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private volatile boolean closed;
  private volatile boolean terminating;

  private Prober(Container container, Handler handler, Listener listener) {
    this.container = container;
    this.handler = handler;
    this.listener = listener;
  }

  static Prober start(Container container, Handler handler, Listener listener) {
    Prober prober = new Prober(container, handler, listener);
    Probe startup = container.getStartupProbe();
    if (startup == null) {
      prober.afterStartup();
    } else {
      prober.run("startup", () -> prober.startup(startup));
    }
    return prober;
  }

  /** A pod on its way out is still asked whether it is ready, but no longer restarted. */
  void terminating() {
    terminating = true;
  }

  private interface Loop {
    void run() throws InterruptedException;
  }

  private void run(String name, Loop loop) {
    threads.add(
        Thread.ofVirtual()
            .name(container.getName() + "-" + name)
            .start(() -> {
              try {
                loop.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (SandboxException e) {
                // Its container has ended while a question was just being put.
                if (!Thread.currentThread().isInterrupted()) {
                  throw e;
                }
              }
            }));
    if (closed) {
      close();
    }
  }

  private void startup(Probe probe) throws InterruptedException {
    ProbeCounter counter = counter(probe, false);
    pause(probe.getInitialDelaySeconds(), 0);
    while (!closed && !terminating) {
      if (counter.after(ask("Startup", probe))) {
        afterStartup();
        return;
      }
      if (counter.exhausted()) {
        listener.mustRestart(
            "Container %s failed startup probe, will be restarted".formatted(container.getName()),
            grace(probe));
        return;
      }
      pause(probe.getPeriodSeconds(), 10);
    }
  }

  private void afterStartup() {
    listener.started();
    Probe readiness = container.getReadinessProbe();
    if (readiness == null) {
      listener.ready(true);
    } else {
      run("readiness", () -> readiness(readiness));
    }
    Probe liveness = container.getLivenessProbe();
    if (liveness != null) {
      run("liveness", () -> liveness(liveness));
    }
  }

  private void readiness(Probe probe) throws InterruptedException {
    ProbeCounter counter = counter(probe, false);
    pause(probe.getInitialDelaySeconds(), 0);
    while (!closed) {
      boolean ready = counter.after(ask("Readiness", probe));
      if (!closed) {
        listener.ready(ready);
      }
      pause(probe.getPeriodSeconds(), 10);
    }
  }

  private void liveness(Probe probe) throws InterruptedException {
    ProbeCounter counter = counter(probe, true);
    pause(probe.getInitialDelaySeconds(), 0);
    while (!closed && !terminating) {
      if (!counter.after(ask("Liveness", probe)) && !terminating) {
        listener.mustRestart(
            "Container %s failed liveness probe, will be restarted".formatted(container.getName()),
            grace(probe));
        return;
      }
      pause(probe.getPeriodSeconds(), 10);
    }
  }

  private boolean ask(String kind, Probe probe) throws InterruptedException {
    Launcher.Outcome outcome = handler.probe(probe);
    if (!outcome.success() && !closed && !Thread.currentThread().isInterrupted()) {
      listener.unhealthy("%s probe failed: %s".formatted(kind, outcome.said()));
    }
    return outcome.success();
  }

  private static ProbeCounter counter(Probe probe, boolean initially) {
    return new ProbeCounter(
        Optional.ofNullable(probe.getSuccessThreshold()).orElse(1),
        Optional.ofNullable(probe.getFailureThreshold()).orElse(3),
        initially);
  }

  private static Optional<Duration> grace(Probe probe) {
    return Optional.ofNullable(probe.getTerminationGracePeriodSeconds()).map(Duration::ofSeconds);
  }

  private static void pause(@Nullable Integer seconds, int otherwise) throws InterruptedException {
    Thread.sleep(Handler.seconds(seconds, otherwise));
  }

  @Override
  public void close() {
    closed = true;
    new ArrayList<>(threads).forEach(Thread::interrupt);
  }
}
