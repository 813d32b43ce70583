package dev.belay.operator;

import dev.belay.core.state.Snapshot.Self;
import dev.belay.operator.lease.Election;
import dev.belay.operator.lease.OtherInstalls;
import dev.belay.operator.marks.PolicyWatch;
import dev.belay.operator.metrics.Metrics;
import dev.belay.operator.metrics.MetricsServer;
import dev.belay.operator.select.Claims;
import dev.belay.operator.select.Leases;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The running operator, wired by hand. It ends with the process. */
final class Service {

  /** Marks are removed at once with their StatefulCluster; this finds those that were missed. */
  private static final Duration SWEEP = Duration.ofMinutes(10);

  private static final Duration LOOK_AROUND = Duration.ofSeconds(2);

  /** The longest time-out of an effect. */
  private static final Duration LAST_TURN = Duration.ofSeconds(10);

  private static final int THREADS = 16;

  private final KubernetesClient client;
  private final Self self;
  private final Settings settings;
  private final Clock clock = Clock.systemUTC();
  private final Metrics metrics = new Metrics(clock);
  private volatile @Nullable Operator operator;

  Service(KubernetesClient client, Self self, Settings settings) {
    this.client = client;
    this.self = self;
    this.settings = settings;
  }

  /** Serves until the process is told to stop. */
  void run() throws IOException, InterruptedException {
    metrics.install(self.install(), settings.selector().toString());
    var others = new OtherInstalls(client);
    var leases = new HeldLeases(others);
    var claims = new Claims(self, settings.selector(), leases);
    try (var _ = serve();
        var wakeups = new Wakeups(client)) {
      var places = new Places(settings.maxUpgrades(), wakeups::wake);
      try (var loop = new ClusterLoop(client, self, clock, places, claims, wakeups::wake);
          var _ = new PolicyWatch(client, loop::policiesChanged);
          var beside = beside()) {
        var reconciler = new ClusterReconciler(loop, claims, places, wakeups, metrics);
        Runnable sweep = () -> sweep(loop, claims);
        var candidate = new Candidate(reconciler, () -> beside.execute(sweep));
        var election = new Election(client, self, settings.name(), clock, candidate);
        leases.election.set(election);
        start(reconciler, loop, election);
        every(beside, SWEEP, sweep);
        every(beside, LOOK_AROUND, () -> reconciler.lookAround(others));
        new CountDownLatch(1).await();
      }
    }
  }

  private void start(ClusterReconciler reconciler, ClusterLoop loop, Election election) {
    var running =
        new Operator(config ->
            config
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .withConcurrentReconciliationThreads(THREADS));
    running.register(
        reconciler,
        controller -> {
          controller.withOnUpdateFilter(Wakeups::wakes);
          if (!settings.namespaces().isEmpty()) {
            controller.settingNamespaces(Set.copyOf(settings.namespaces()));
          }
        });
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> {
              election.leave();
              reconciler.awaitEnd(LAST_TURN);
              loop.close();
              // Nothing that this process sent is on its way any more.
              election.release();
              running.stop();
            }));
    running.start();
    operator = running;
    election.start();
  }

  private void sweep(ClusterLoop loop, Claims claims) {
    if (claims.held()) {
      loop.sweep(settings.namespaces());
    }
  }

  private static ScheduledExecutorService beside() {
    // A sweep of many workloads must not delay the look at other installs.
    return Executors.newScheduledThreadPool(
        2, Thread.ofPlatform().name("beside").daemon().factory());
  }

  private static void every(ScheduledExecutorService beside, Duration pause, Runnable work) {
    var _ =
        beside.scheduleWithFixedDelay(
            work, pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Null when it is not wanted. */
  private @Nullable MetricsServer serve() throws IOException {
    if (settings.metrics().isEmpty()) {
      return null;
    }
    var address = settings.metrics().get();
    try {
      if (address.isUnresolved()) {
        throw new IOException("no such address");
      }
      return new MetricsServer(address, metrics, this::trouble);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException(
          "--metrics-address %s --metrics-port %d: %s; fix: choose others, or port 0 for none"
              .formatted(address.getHostString(), address.getPort(), e.getMessage()),
          e);
    }
  }

  /** What keeps this process from its work. A process that stands by is ready. */
  private String trouble() {
    Operator running = operator;
    if (running == null) {
      return "starting";
    }
    List<String> down =
        running.getRuntimeInfo().unhealthyEventSources().values().stream()
            .flatMap(sources -> sources.keySet().stream())
            .toList();
    return down.isEmpty() ? "" : "watches are down: " + down;
  }

  /** A process that begins to act sweeps once. */
  private record Candidate(ClusterReconciler reconciler, Runnable sweep)
      implements Election.Candidate {

    @Override
    public void leads() {
      reconciler.leads();
      sweep.run();
    }

    @Override
    public void stops() {
      reconciler.stops();
    }
  }

  /** The election begins after the loop is wired, and the loop asks it. */
  private static final class HeldLeases implements Leases {

    private final AtomicReference<@Nullable Election> election = new AtomicReference<>();
    private final OtherInstalls others;

    HeldLeases(OtherInstalls others) {
      this.others = others;
    }

    @Override
    public boolean held() {
      Election now = election.get();
      return now != null && now.leads();
    }

    @Override
    public boolean expired(String lease) {
      return others.expired(lease);
    }
  }
}
