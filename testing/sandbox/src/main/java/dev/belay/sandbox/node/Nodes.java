package dev.belay.sandbox.node;

import dev.belay.sandbox.SandboxException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/** All nodes of a sandbox: sees the pods that are scheduled to them and lets each live its life. */
public final class Nodes implements AutoCloseable {
  private static final Duration HEARTBEAT = Duration.ofSeconds(4);
  private static final Duration LAST_GRACE = Duration.ofSeconds(2);

  private final KubernetesClient client;
  private final Keeper keeper;
  private final Machine machine;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final List<LogServer> logServers = new ArrayList<>();
  private final Map<String, PodLife> lives = new ConcurrentHashMap<>();
  private final Map<String, PodLife> latest = new ConcurrentHashMap<>();
  private final ExecutorService eventWriter =
      Executors.newSingleThreadExecutor(Thread.ofVirtual().name("events").factory());
  private final ScheduledExecutorService heart =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("sandbox-heartbeat").factory());
  private final Claims claims;
  private final SharedIndexInformer<Pod> pods;
  private final SharedIndexInformer<Service> services;

  /** What nodes are made of; addresses in order, the folder of the sandbox, its images. */
  public record Plan(
      KubernetesClient client,
      SSLContext serving,
      List<InetAddress> addresses,
      Path dir,
      Path images,
      Duration backoff) {}

  private Nodes(Plan plan, Keeper keeper) throws IOException {
    this.client = plan.client();
    this.keeper = keeper;
    Path dir = plan.dir();
    // What a sandbox that was killed left behind; its pods start afresh.
    Trees.delete(dir.resolve("pods"));
    Path hostsFolder = Files.createDirectories(dir.resolve("pods/hosts"));
    String first = plan.addresses().getFirst().getHostAddress();
    this.machine =
        new Machine(
            client,
            new Images(plan.images()),
            Launcher.on(keeper),
            new Addresses(first.substring(0, first.indexOf('.', 4) + 1)),
            new HostsFiles(
                dir.resolve("hosts"),
                hostsFolder,
                URI.create(client.getConfiguration().getMasterUrl()).getHost()),
            new Events(client, eventWriter),
            dir,
            plan.backoff());
    Files.createDirectories(machine.claims());
    this.claims = Claims.start(client, machine.claims());
    for (int i = 0; i < plan.addresses().size(); i++) {
      InetAddress address = plan.addresses().get(i);
      LogServer logs =
          LogServer.start(new InetSocketAddress(address, 0), plan.serving(), this::log);
      logServers.add(logs);
      Node node = new Node(client, "node-" + i, address.getHostAddress(), logs.port());
      node.register();
      nodes.put(node.name(), node);
    }
    this.services = client.services().inAnyNamespace().inform(new ServiceWatch());
    this.pods = client.pods().inAnyNamespace().inform(new PodWatch());
    var _ =
        heart.scheduleAtFixedRate(
            () -> nodes.values().forEach(Node::renew),
            HEARTBEAT.toMillis(),
            HEARTBEAT.toMillis(),
            TimeUnit.MILLISECONDS);
    awaitReady();
  }

  /** Registers the nodes; returns when the scheduler may use them. */
  public static Nodes start(Plan plan) {
    Keeper keeper = Keeper.start();
    try {
      return new Nodes(plan, keeper);
    } catch (IOException | RuntimeException e) {
      keeper.close();
      throw new SandboxException("cannot start nodes in %s: %s".formatted(plan.dir(), e), e);
    }
  }

  private void awaitReady() {
    for (String name : nodes.keySet()) {
      client
          .nodes()
          .withName(name)
          .waitUntilCondition(
              node -> node != null && node.getSpec().getTaints().isEmpty(), 120, TimeUnit.SECONDS);
    }
  }

  /** The process of the pod's first container; empty when it does not run. */
  public Optional<Long> pidOf(String namespace, String pod) {
    return Optional.ofNullable(latest.get(namespace + "/" + pod)).flatMap(PodLife::mainPid);
  }

  /** Silences a node, and ends its processes too if asked, as if the machine lost power. */
  public void stop(String name, boolean withPods) {
    Node node = node(name);
    node.stop();
    if (withPods) {
      List<PodLife> ended =
          lives.values().stream()
              .filter(life -> name.equals(life.pod().getSpec().getNodeName()))
              .toList();
      ended.forEach(life -> life.drop(Duration.ZERO));
      ended.forEach(life -> life.gone().join());
      ended.forEach(life -> lives.remove(life.uid()));
    }
  }

  /** Lets a stopped node come back. */
  public void start(String name) {
    Node node = node(name);
    node.register();
    pods.getStore().list().forEach(this::see);
  }

  private Node node(String name) {
    Node node = nodes.get(name);
    if (node == null) {
      throw new SandboxException("no node %s; there are %s".formatted(name, nodes.keySet()));
    }
    return node;
  }

  private void see(Pod pod) {
    Node node = nodes.get(Optional.ofNullable(pod.getSpec().getNodeName()).orElse(""));
    if (node == null || !node.running()) {
      return;
    }
    PodLife known = lives.get(pod.getMetadata().getUid());
    if (known != null) {
      known.update(pod);
      return;
    }
    String phase = Optional.ofNullable(pod.getStatus().getPhase()).orElse("");
    boolean leaving = pod.getMetadata().getDeletionTimestamp() != null;
    if (!leaving && (phase.equals("Succeeded") || phase.equals("Failed"))) {
      return;
    }
    PodLife life = new PodLife(machine, pod, node.address());
    lives.put(life.uid(), life);
    PodLife before = latest.put(key(pod), life);
    if (leaving) {
      life.update(pod);
    }
    life.begin(before == null ? CompletableFuture.completedFuture(null) : before.gone());
  }

  private void forget(Pod pod) {
    PodLife life = lives.remove(pod.getMetadata().getUid());
    if (life != null) {
      life.drop(Duration.ZERO);
      var _ = life.gone().thenRun(() -> latest.remove(key(pod), life));
    }
  }

  private static String key(Pod pod) {
    return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
  }

  private Optional<LogServer.Log> log(
      String namespace, String pod, String container, boolean previous) {
    return Optional.ofNullable(latest.get(namespace + "/" + pod))
        .flatMap(life -> life.container(container))
        .flatMap(runner -> {
          int attempt = runner.attempt() - (previous ? 1 : 0);
          return LogServer.existing(
              runner.log(attempt), () -> runner.attempt() == attempt && runner.mayWrite());
        });
  }

  private final class PodWatch implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      see(pod);
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      see(pod);
    }

    @Override
    public void onDelete(Pod pod, boolean unknown) {
      forget(pod);
    }
  }

  private final class ServiceWatch implements ResourceEventHandler<Service> {
    private final Map<String, Hosts.ServiceEntry> known = new ConcurrentHashMap<>();

    @Override
    public void onAdd(Service service) {
      Map<String, String> selector =
          Optional.ofNullable(service.getSpec().getSelector()).orElse(Map.of());
      known.put(
          service.getMetadata().getUid(),
          new Hosts.ServiceEntry(
              service.getMetadata().getNamespace(),
              service.getMetadata().getName(),
              Map.copyOf(selector),
              Boolean.TRUE.equals(service.getSpec().getPublishNotReadyAddresses())));
      write();
    }

    @Override
    public void onUpdate(Service before, Service service) {
      onAdd(service);
    }

    @Override
    public void onDelete(Service service, boolean unknown) {
      known.remove(service.getMetadata().getUid());
      write();
    }

    private void write() {
      List<Hosts.ServiceEntry> sorted = new ArrayList<>(known.values());
      sorted.sort(
          Comparator.comparing(Hosts.ServiceEntry::namespace)
              .thenComparing(Hosts.ServiceEntry::name));
      machine.hosts().services(sorted);
    }
  }

  @Override
  public void close() {
    pods.stop();
    services.stop();
    claims.close();
    heart.shutdownNow();
    List<PodLife> all = List.copyOf(lives.values());
    all.forEach(life -> life.drop(LAST_GRACE));
    try {
      CompletableFuture.allOf(all.stream().map(PodLife::gone).toArray(CompletableFuture[]::new))
          .orTimeout(LAST_GRACE.toMillis() + 2000, TimeUnit.MILLISECONDS)
          .join();
    } catch (CompletionException late) {
      all.forEach(life -> life.drop(Duration.ZERO));
    }
    keeper.close();
    logServers.forEach(LogServer::close);
    eventWriter.shutdownNow();
  }
}
