package dev.belay.sandbox;

import dev.belay.sandbox.Authority.Identity;
import dev.belay.sandbox.Authority.Subject;
import dev.belay.sandbox.node.Nodes;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A Kubernetes cluster on one machine: a real control plane, and nodes whose pods are processes.
 */
public final class Sandbox implements AutoCloseable {
  private static final int MOST_NODES = 100;

  private final ControlPlane plane;
  private final KubernetesClient nodeClient;
  private final Nodes nodes;

  private Sandbox(ControlPlane plane, KubernetesClient nodeClient, Nodes nodes) {
    this.plane = plane;
    this.nodeClient = nodeClient;
    this.nodes = nodes;
  }

  /** How a sandbox is to be: its folder, its nodes, its images, the first wait after a crash. */
  public record Options(Path dir, int nodes, Path images, Duration backoff) {
    public Options {
      if (nodes < 1 || nodes > MOST_NODES) {
        throw new SandboxException("--nodes %d: must be from 1 to %d".formatted(nodes, MOST_NODES));
      }
      dir = dir.toAbsolutePath().normalize();
      images = images.toAbsolutePath().normalize();
    }

    /** Three nodes, the images of the cache, back-off as a kubelet's. */
    public static Options in(Path dir) {
      return new Options(dir, 3, Binaries.cache().resolve("images"), Duration.ofSeconds(10));
    }

    public Options withNodes(int count) {
      return new Options(dir, count, images, backoff);
    }

    public Options withImages(Path folder) {
      return new Options(dir, nodes, folder, backoff);
    }

    public Options withBackoff(Duration first) {
      return new Options(dir, nodes, images, first);
    }
  }

  /** Starts everything; ready when this returns. */
  public static Sandbox start(Options options) {
    ControlPlane plane = ControlPlane.start(options.dir(), ControlPlane.WITH_NODES);
    try {
      Path kubeconfig = plane.kubeconfigForUser("sandbox-nodes", "system:masters");
      KubernetesClient client = ControlPlane.client(kubeconfig);
      try {
        return new Sandbox(plane, client, nodes(options, plane, client));
      } catch (RuntimeException e) {
        client.close();
        throw e;
      }
    } catch (RuntimeException e) {
      plane.close();
      throw e;
    }
  }

  private static Nodes nodes(Options options, ControlPlane plane, KubernetesClient client) {
    List<InetAddress> addresses = new ArrayList<>();
    for (int i = 0; i < options.nodes(); i++) {
      addresses.add(plane.range().address(1, i + 1));
    }
    try {
      Files.createDirectories(options.images());
      SSLContext serving = serving(plane.authority(), addresses);
      return Nodes.start(
          new Nodes.Plan(
              client, serving, addresses, options.dir(), options.images(), options.backoff()));
    } catch (IOException | GeneralSecurityException e) {
      throw new SandboxException("cannot start nodes in " + options.dir(), e);
    }
  }

  private static SSLContext serving(Authority authority, List<InetAddress> addresses)
      throws IOException, GeneralSecurityException {
    Identity identity =
        authority.issue(
            "kubelet", Subject.server("kubelet", List.of(), addresses.toArray(InetAddress[]::new)));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    X509Certificate[] chain = {Authority.readCertificate(identity.certificate())};
    store.setKeyEntry("kubelet", Authority.readKey(identity.key()), new char[0], chain);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", authority.certificate());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  /** The control plane under it. */
  public ControlPlane controlPlane() {
    return plane;
  }

  public Path dir() {
    return plane.dir();
  }

  /** DIR/kubeconfig, of a member of system:masters. */
  public Path adminKubeconfig() {
    return plane.adminKubeconfig();
  }

  /** The kubeconfig of a service account, with a token of the TokenRequest API, good for a day. */
  public Path kubeconfigFor(String namespace, String serviceAccount) {
    return plane.kubeconfigFor(namespace, serviceAccount);
  }

  public Path auditLog() {
    return plane.auditLog();
  }

  public Path kubectl() {
    return plane.kubectl();
  }

  /** A client with the rights of {@link #adminKubeconfig()}; closed with the sandbox. */
  public KubernetesClient client() {
    return plane.client();
  }

  /** What pod and service names mean, for programs outside: -Djdk.net.hosts.file takes it. */
  public Path hostsFile() {
    return plane.dir().resolve("hosts");
  }

  /** The process of the pod's first container itself, no wrapper; empty when it does not run. */
  public Optional<Long> pidOf(String namespace, String pod) {
    return nodes.pidOf(namespace, pod);
  }

  /** Silences a node; with its pods it is as if the machine lost power. */
  public void stopNode(String name, boolean withPods) {
    nodes.stop(name, withPods);
  }

  /** Lets a stopped node come back. */
  public void startNode(String name) {
    nodes.start(name);
  }

  @Override
  public void close() {
    nodes.close();
    nodeClient.close();
    plane.close();
  }
}
