package dev.belay.operator;

import dev.belay.core.state.Snapshot.Self;
import dev.belay.operator.select.Selector;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The operator's process: arguments, wiring by hand, start and stop. */
@Command(
    name = "belay-operator",
    description = "Upgrades clustered stateful systems one member at a time.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class)
public final class Main implements Callable<Integer> {

  /** The version of the jar. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"belay " + Objects.requireNonNullElse(version, "(not packaged)")};
    }
  }

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
          "The name of this install: its Lease and its Deployment are called NAME-operator. Only one"
              + " process of an install acts at a time. Default: ${DEFAULT-VALUE}.")
  private String install = "belay";

  @Option(
      names = "--lease-namespace",
      paramLabel = "NS",
      defaultValue = "${env:POD_NAMESPACE:-belay-system}",
      description = "The namespace of the Lease of this install. Default: ${DEFAULT-VALUE}.")
  private String leaseNamespace = "belay-system";

  @Option(
      names = "--identity",
      paramLabel = "NAME",
      description =
          "The name of this process in the Lease. Default: the name of the pod or the machine.")
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
          "Stop the Deployment of this install, release its StatefulClusters, remove its marks,"
              + " labels and finalizers, and end. No pod restarts. Needs --install, and outside a pod"
              + " --lease-namespace.")
  private boolean uninstall;

  /** The name of its Lease and of its other objects is longer by a suffix. */
  private static final Pattern INSTALL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,52}[a-z0-9])?");

  private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

  private static final int HIGHEST_PORT = 65_535;

  @Spec private @Nullable CommandSpec spec;

  public static void main(String[] args) {
    // Pods come back with other addresses: a name must not be remembered for longer than a look.
    Security.setProperty("networkaddress.cache.ttl", "1");
    Security.setProperty("networkaddress.cache.negative.ttl", "0");
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    Settings settings;
    try {
      settings = settings();
    } catch (IllegalArgumentException e) {
      System.err.println("belay-operator: " + e.getMessage());
      return 2;
    }
    try (KubernetesClient client = client()) {
      Self self =
          new Self(leaseNamespace + "/" + install, UUID.randomUUID().toString(), account(client));
      if (uninstall) {
        return new Uninstall(client, self, settings).run();
      }
      new Service(client, self, settings).run();
      return 0;
    } catch (KubernetesClientException | IOException e) {
      System.err.println("belay-operator: " + e.getMessage());
      return 1;
    }
  }

  private Settings settings() {
    if (maxUpgrades < 0) {
      throw new IllegalArgumentException(
          "--max-upgrades %d; fix: give a number of clusters, or 0 for no limit"
              .formatted(maxUpgrades));
    }
    if (metricsPort < 0 || metricsPort > HIGHEST_PORT) {
      throw new IllegalArgumentException(
          "--metrics-port %d; fix: give a port from 1 to %d, or 0 for none"
              .formatted(metricsPort, HIGHEST_PORT));
    }
    if (!INSTALL.matcher(install).matches()) {
      throw new IllegalArgumentException(
          "--install '%s'; fix: use at most 54 lower-case letters, digits and '-', with a letter or"
                  .formatted(install)
              + " digit at both ends");
    }
    requireNamespace("--lease-namespace", leaseNamespace);
    namespaces.forEach(n -> requireNamespace("--namespace", n));
    if (identity != null && identity.isBlank()) {
      throw new IllegalArgumentException(
          "--identity is empty; fix: give this process a name, or leave the flag out");
    }
    if (uninstall) {
      requireGiven("--install", "the install to remove", false);
      requireGiven("--lease-namespace", "its namespace", System.getenv("POD_NAMESPACE") != null);
    }
    return new Settings(
        Objects.requireNonNullElseGet(identity, Main::hostname),
        namespaces,
        selector(),
        maxUpgrades,
        metricsPort == 0
            ? Optional.empty()
            : Optional.of(new InetSocketAddress(metricsAddress, metricsPort)));
  }

  private static void requireNamespace(String flag, String value) {
    if (!NAMESPACE.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "%s '%s' is not a namespace; fix: use at most 63 lower-case letters, digits and '-', with a"
                  .formatted(flag, value)
              + " letter or digit at both ends");
    }
  }

  /** A default could be another install, whose Deployment would be stopped. */
  private void requireGiven(String flag, String what, boolean known) {
    boolean given =
        known || Objects.requireNonNull(spec).commandLine().getParseResult().hasMatchedOption(flag);
    if (!given) {
      throw new IllegalArgumentException(
          "--uninstall without %s; fix: name %s with %s".formatted(flag, what, flag));
    }
  }

  private Selector selector() {
    try {
      return Selector.parse(selector);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--" + e.getMessage(), e);
    }
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

  private static String hostname() {
    String pod = System.getenv("POD_NAME");
    try {
      return pod != null ? pod : InetAddress.getLocalHost().getHostName();
    } catch (IOException e) {
      return "localhost";
    }
  }
}
