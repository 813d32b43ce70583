package dev.belay.sandbox;

import dev.belay.sandbox.Authority.Subject;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** etcd, API server, controller manager and scheduler as child processes with their own CA. */
public final class ControlPlane implements AutoCloseable {
  /**
   * For sandboxes with nodes: a silent node is noticed in seconds; endpoints, which refuse the
   * loopback addresses of our pods, are not tried again and again.
   */
  static final List<String> WITH_NODES =
      List.of(
          "--node-monitor-period=1s",
          "--node-monitor-grace-period=16s",
          "--controllers=*,-endpoints-controller,-endpointslice-controller,"
              + "-endpointslice-mirroring-controller");

  private static final String API_SERVER = "kube-apiserver";
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration STOP_GRACE = Duration.ofSeconds(5);

  private final Path dir;
  private final Binaries binaries;
  private final LoopbackRange range;
  private final FolderLock lock;
  private final Authority authority;
  private final InetAddress address;
  private final Kubeconfig kubeconfig;
  private final int etcdPort;
  private final List<String> apiServer;

  /** In the order of their start. */
  private final List<Child> children = new CopyOnWriteArrayList<>();

  private final KubernetesClient client;

  private ControlPlane(
      Path dir,
      Binaries binaries,
      LoopbackRange range,
      FolderLock lock,
      List<String> managerOptions)
      throws IOException {
    this.dir = dir;
    this.binaries = binaries;
    this.range = range;
    this.lock = lock;
    Files.createDirectories(dir.resolve("logs"));
    PrivateFiles.folder(dir.resolve("kubeconfigs"));
    this.authority = Authority.in(PrivateFiles.folder(dir.resolve("pki")));
    this.address = range.address(0, 1);
    int port = freePort();
    this.kubeconfig =
        new Kubeconfig("https://%s:%d".formatted(address.getHostAddress(), port), authority);
    ControlPlaneCommands commands =
        new ControlPlaneCommands(dir, binaries, authority, address, auditPolicy());
    this.etcdPort = freePort();
    this.apiServer = commands.apiServer(port, etcdPort);
    try {
      this.client = start(commands, managerOptions);
    } catch (RuntimeException e) {
      stopChildren();
      throw e;
    }
  }

  /** Starts a control plane in this folder, or the one it held before; ready when this returns. */
  public static ControlPlane start(Path dir) {
    return start(dir, List.of());
  }

  static ControlPlane start(Path dir, List<String> managerOptions) {
    Path absolute = dir.toAbsolutePath().normalize();
    Binaries binaries = Binaries.find();
    FolderLock lock = FolderLock.take(absolute);
    LoopbackRange range = LoopbackRange.claim(absolute.toString());
    try {
      return new ControlPlane(absolute, binaries, range, lock, managerOptions);
    } catch (IOException | RuntimeException e) {
      range.close();
      lock.close();
      if (e instanceof SandboxException known) {
        throw known;
      }
      throw new SandboxException("cannot start a control plane in " + absolute, e);
    }
  }

  private Path auditPolicy() throws IOException {
    Path policy = dir.resolve("pki/audit-policy.yaml");
    try (InputStream in = ControlPlane.class.getResourceAsStream("audit-policy.yaml")) {
      Files.write(policy, Objects.requireNonNull(in, "audit-policy.yaml").readAllBytes());
    }
    return policy;
  }

  private KubernetesClient start(ControlPlaneCommands commands, List<String> managerOptions) {
    run("etcd", commands.etcd(etcdPort, freePort()));
    run(API_SERVER, apiServer);
    // Keys and clients take a second in a cold JVM: made while the API server comes up.
    Path manager = component("kube-controller-manager");
    Path scheduler = component("kube-scheduler");
    kubeconfig.withCertificate(
        adminKubeconfig(),
        "admin",
        authority.issueForKubeconfig("admin", Subject.client("admin", "system:masters")));
    KubernetesClient admin = client(adminKubeconfig());
    try {
      awaitApiServer(admin);
      List<String> managerCommand =
          new ArrayList<>(commands.controllerManager(manager, freePort()));
      managerCommand.addAll(managerOptions);
      run("kube-controller-manager", managerCommand);
      run("kube-scheduler", commands.scheduler(scheduler, freePort()));
      await("the default service account", () -> defaultNamespaceIsFurnished(admin));
      return admin;
    } catch (RuntimeException e) {
      admin.close();
      throw e;
    }
  }

  private int freePort() {
    return LoopbackRange.freePort(address);
  }

  private void run(String name, List<String> command) {
    children.add(Child.start(name, dir.resolve("logs/" + name + ".log"), command));
  }

  private void awaitApiServer(KubernetesClient admin) {
    await("the API server", () -> answers(admin, "/readyz"));
  }

  private Path component(String name) {
    Path file = dir.resolve("kubeconfigs/" + name);
    kubeconfig.withCertificate(
        file, name, authority.issueForKubeconfig(name, Subject.client("system:" + name)));
    return file;
  }

  private static boolean answers(KubernetesClient client, String path) {
    try {
      return Objects.equals(client.raw(path), "ok");
    } catch (KubernetesClientException notYet) {
      return false;
    }
  }

  private static boolean defaultNamespaceIsFurnished(KubernetesClient client) {
    try {
      return client.serviceAccounts().inNamespace("default").withName("default").get() != null
          && client.configMaps().inNamespace("default").withName("kube-root-ca.crt").get() != null;
    } catch (KubernetesClientException notYet) {
      return false;
    }
  }

  private void await(String what, BooleanSupplier done) {
    Instant limit = Instant.now().plus(START_LIMIT);
    while (!done.getAsBoolean()) {
      children.forEach(Child::mustBeAlive);
      if (Instant.now().isAfter(limit)) {
        throw new SandboxException(
            "%s was not there after %d s; see %s"
                .formatted(what, START_LIMIT.toSeconds(), dir.resolve("logs")));
      }
      try {
        Thread.sleep(30);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SandboxException("interrupted while waiting for " + what, e);
      }
    }
  }

  /** The folder everything of this control plane is in. */
  public Path dir() {
    return dir;
  }

  /** The kubeconfig of a member of system:masters. */
  public Path adminKubeconfig() {
    return dir.resolve("kubeconfig");
  }

  /** The kubeconfig of a service account, with a token of the TokenRequest API, good for a day. */
  public Path kubeconfigFor(String namespace, String serviceAccount) {
    Path file = dir.resolve("kubeconfigs/%s.%s".formatted(namespace, serviceAccount));
    kubeconfig.withToken(
        file, serviceAccount, namespace, token(namespace, serviceAccount, Duration.ofDays(1)));
    return file;
  }

  /** The kubeconfig of a user with these groups, known by a client certificate. */
  public Path kubeconfigForUser(String user, String... groups) {
    Path file = dir.resolve("kubeconfigs/user." + user);
    kubeconfig.withCertificate(
        file, user, authority.issueForKubeconfig("user." + user, Subject.client(user, groups)));
    return file;
  }

  String token(String namespace, String serviceAccount, Duration lifetime) {
    try {
      return client
          .serviceAccounts()
          .inNamespace(namespace)
          .withName(serviceAccount)
          .tokenRequest(
              new TokenRequestBuilder()
                  .withNewSpec()
                  .withExpirationSeconds(lifetime.toSeconds())
                  .endSpec()
                  .build())
          .getStatus()
          .getToken();
    } catch (KubernetesClientException e) {
      throw new SandboxException(
          "no token for service account %s/%s: %s; create the account first"
              .formatted(namespace, serviceAccount, e.getMessage()),
          e);
    }
  }

  /** What was asked of the API server, one JSON object per line. */
  public Path auditLog() {
    return dir.resolve("audit.log");
  }

  /** A kubectl of the same version. */
  public Path kubectl() {
    return binaries.kubectl();
  }

  /** A client with the rights of {@link #adminKubeconfig()}; closed with the control plane. */
  public KubernetesClient client() {
    return client;
  }

  /** A new client for a kubeconfig file; whoever asks closes it. */
  public static KubernetesClient client(Path kubeconfig) {
    Config config =
        new ConfigBuilder(Config.fromKubeconfig(kubeconfig.toFile()))
            .withRequestRetryBackoffLimit(0)
            .build();
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  LoopbackRange range() {
    return range;
  }

  Authority authority() {
    return authority;
  }

  Kubeconfig kubeconfig() {
    return kubeconfig;
  }

  /**
   * Ends the API server, by SIGKILL or in order, and starts it again: same address, etcd and
   * certificates. Ready when this returns.
   */
  public void restartApiServer(boolean killed) {
    stopApiServer(killed);
    startApiServer();
  }

  /** Ends the API server, by SIGKILL or in order; everything else goes on. */
  public void stopApiServer(boolean killed) {
    Child running = children.get(apiServerIndex());
    if (killed) {
      running.kill();
    } else {
      running.stop(STOP_GRACE);
    }
  }

  /** Starts the API server that was stopped. Ready when this returns. */
  public void startApiServer() {
    int at = apiServerIndex();
    children.set(at, Child.start(API_SERVER, children.get(at).log(), apiServer));
    awaitApiServer(client);
  }

  private int apiServerIndex() {
    return children.stream().map(Child::name).toList().indexOf(API_SERVER);
  }

  /** The command that asks etcd past the API server, of etcd's own version. */
  public List<String> etcdctl(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                binaries.etcd().resolveSibling("etcdctl").toString(),
                "--endpoints=https://%s:%d".formatted(address.getHostAddress(), etcdPort),
                "--cacert=" + authority.certificateFile(),
                "--cert=" + dir.resolve("pki/apiserver-etcd.crt"),
                "--key=" + dir.resolve("pki/apiserver-etcd.key")));
    command.addAll(List.of(arguments));
    return command;
  }

  private void stopChildren() {
    // Last started first: nobody is left talking to a server that is gone.
    children.reversed().forEach(child -> child.stop(STOP_GRACE));
    children.clear();
  }

  @Override
  public void close() {
    client.close();
    stopChildren();
    range.close();
    lock.close();
  }
}
