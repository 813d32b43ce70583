package dev.belay.operator;

import dev.belay.core.snapshot.Snapshot.Self;
import dev.belay.operator.marks.PolicyWatch;
import dev.belay.operator.marks.Sweep;
import dev.belay.operator.metrics.Metrics;
import dev.belay.operator.metrics.MetricsServer;
import dev.belay.operator.select.Claims;
import dev.belay.operator.select.Selector;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The operator's process: arguments, wiring by hand, start and stop. */
@Command(
    name = "belay-operator",
    description = "Upgrades clustered stateful systems one member at a time.",
    mixinStandardHelpOptions = true,
    version = "belay 0.1.0")
public final class Main implements Callable<Integer> {

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "The cluster to work on. Default: the pod's own account, else $KUBECONFIG.")
  private @Nullable Path kubeconfig;

  @Option(
      names = "--namespace",
      paramLabel = "NS",
      arity = "1..*",
      split = ",",
      description = "Work only in these namespaces. Default: all.")
  private List<String> namespaces = List.of();

  @Option(
      names = "--selector",
      paramLabel = "SEL",
      description = "Work only on StatefulClusters with these labels, as kubectl takes them.")
  private String selector = "";

  @Option(
      names = "--install",
      paramLabel = "NAME",
      defaultValue = "belay",
      description =
          "The name of this installation: only one process of an installation works at a time."
              + " Default: ${DEFAULT-VALUE}.")
  private String install = "belay";

  @Option(
      names = "--lease-namespace",
      paramLabel = "NS",
      defaultValue = "${env:POD_NAMESPACE:-belay-system}",
      description = "Where the lease of this installation is kept. Default: ${DEFAULT-VALUE}.")
  private String leaseNamespace = "belay-system";

  @Option(
      names = "--identity",
      paramLabel = "NAME",
      description = "Who holds the lease. Default: the pod's or the machine's name.")
  private @Nullable String identity;

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      defaultValue = "8080",
      description =
          "Where /metrics, /healthz and /readyz are served; 0: nowhere. Default:"
              + " ${DEFAULT-VALUE}.")
  private int metricsPort = 8080;

  @Option(
      names = "--metrics-address",
      paramLabel = "ADDRESS",
      defaultValue = "${env:POD_IP:-127.0.0.1}",
      description =
          "The address they are served on. Default: the pod's own, else this machine's loopback.")
  private String metricsAddress = "127.0.0.1";

  @Option(
      names = "--max-upgrades",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "How many StatefulClusters may be in the middle of an upgrade at once, those that failed"
              + " included; 0: any number. Default: ${DEFAULT-VALUE}.")
  private int maxUpgrades = Places.NO_LIMIT;

  @Option(
      names = "--uninstall",
      description =
          "Remove the marks and labels of this operator's account from all workloads, and end."
              + " Nothing restarts. Stop the operator first.")
  private boolean uninstall;

  /** Marks are removed at once with their StatefulCluster; this finds those that were missed. */
  private static final Duration SWEEP = Duration.ofMinutes(10);

  private volatile @Nullable Operator operator;
  private volatile boolean stopping;

  public static void main(String[] args) {
    // Pods come back with other addresses: a name must not be remembered for longer than a look.
    Security.setProperty("networkaddress.cache.ttl", "1");
    Security.setProperty("networkaddress.cache.negative.ttl", "0");
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    if (maxUpgrades < 0) {
      System.err.println(
          "belay-operator: --max-upgrades %d: give a number of clusters, or 0 for no limit"
              .formatted(maxUpgrades));
      return 2;
    }
    try (KubernetesClient client = client()) {
      Self self =
          new Self(leaseNamespace + "/" + install, UUID.randomUUID().toString(), account(client));
      return uninstall ? uninstall(client, self) : work(client, self);
    } catch (KubernetesClientException | IOException e) {
      System.err.println("belay-operator: " + e.getMessage());
      return 1;
    }
  }

  private int work(KubernetesClient client, Self self) throws IOException, InterruptedException {
    var clock = Clock.systemUTC();
    var metrics = new Metrics(clock);
    var claims = new Claims(self, Selector.parse(selector), _ -> false);
    try (var _ = serve(metrics);
        var wakeups = new Wakeups(client)) {
      var places = new Places(maxUpgrades, wakeups::wake);
      try (var loop = new ClusterLoop(client, self, clock, places, claims, wakeups::wake);
          var _ = new PolicyWatch(client, loop::policiesChanged);
          var sweeps = Executors.newSingleThreadScheduledExecutor(Main::daemon)) {
        Runnable leading =
            () -> {
              var _ =
                  sweeps.scheduleWithFixedDelay(
                      () -> loop.sweep(namespaces), 0, SWEEP.toSeconds(), TimeUnit.SECONDS);
            };
        run(client, new ClusterReconciler(loop, claims, places, wakeups, metrics), leading);
        sweeps.shutdownNow();
      }
    }
    return 0;
  }

  private static Thread daemon(Runnable sweep) {
    return Thread.ofPlatform().name("sweep").daemon().unstarted(sweep);
  }

  /** A running operator would mark the workloads again. */
  private int uninstall(KubernetesClient client, Self self) {
    int left = new Sweep(client, self).uninstall(namespaces);
    if (left > 0) {
      System.err.println(
          "belay-operator: %d workloads are still marked; fix: run --uninstall again"
              .formatted(left));
    }
    return left > 0 ? 1 : 0;
  }

  private void run(KubernetesClient client, ClusterReconciler reconciler, Runnable leading)
      throws InterruptedException {
    var operator =
        new Operator(config ->
            config
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .withConcurrentReconciliationThreads(16)
                .withLeaderElectionConfiguration(lease(leading)));
    operator.register(
        reconciler,
        controller -> {
          controller.withOnUpdateFilter(Wakeups::wakes);
          if (!namespaces.isEmpty()) {
            controller.settingNamespaces(Set.copyOf(namespaces));
          }
        });
    var stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> {
              stopping = true;
              operator.stop();
              stopped.countDown();
            }));
    operator.start();
    this.operator = operator;
    stopped.await();
  }

  /** Null when it is not wanted. */
  private @Nullable MetricsServer serve(Metrics metrics) throws IOException {
    if (metricsPort == 0) {
      return null;
    }
    try {
      var address = new InetSocketAddress(metricsAddress, metricsPort);
      if (address.isUnresolved()) {
        throw new IOException("no such address");
      }
      return new MetricsServer(address, metrics, this::trouble);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException(
          "--metrics-address %s --metrics-port %d: %s; choose others, or port 0 for none"
              .formatted(metricsAddress, metricsPort, e.getMessage()),
          e);
    }
  }

  /** What keeps this process from its work. One that waits for the lease does its work. */
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

  private KubernetesClient client() throws IOException {
    var builder = new KubernetesClientBuilder();
    if (kubeconfig != null) {
      if (!Files.isReadable(kubeconfig)) {
        throw new IOException("--kubeconfig " + kubeconfig + ": no such file, or not readable");
      }
      builder.withConfig(Config.fromKubeconfig(kubeconfig.toFile()));
    }
    return builder.build();
  }

  /**
   * The name by which the API server knows this process; the guard lets it through by that name.
   */
  private static String account(KubernetesClient client) {
    SelfSubjectReview review = client.resource(new SelfSubjectReview()).create();
    return Objects.requireNonNull(review.getStatus().getUserInfo().getUsername());
  }

  private LeaderElectionConfiguration lease(Runnable leading) {
    return LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(install + "-operator")
        .withLeaseNamespace(leaseNamespace)
        .withIdentity(Objects.requireNonNullElseGet(identity, Main::hostname))
        .withLeaseDuration(Duration.ofSeconds(15))
        .withExitOnStopLeading(false)
        .withLeaderCallbacks(new LeaderCallbacks(leading, this::lostLease, _ -> {}))
        .build();
  }

  /** Another process leads now: stop at once, without a last word to the cluster. */
  private void lostLease() {
    if (!stopping) {
      System.err.println("belay-operator: the lease was lost; another process has it");
      Runtime.getRuntime().halt(1);
    }
  }

  private static String hostname() {
    String pod = System.getenv("POD_NAME");
    try {
      return pod != null ? pod : InetAddress.getLocalHost().getHostName();
    } catch (IOException e) {
      return "localhost";
    }
  }
}
