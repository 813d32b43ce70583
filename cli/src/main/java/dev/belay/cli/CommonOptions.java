package dev.belay.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every verb takes: which cluster and namespace, in the words of kubectl, and colours. */
final class CommonOptions {

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "The kubeconfig file. Default: $KUBECONFIG, else ~/.kube/config.")
  private @Nullable Path kubeconfig;

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "The context of the kubeconfig. Default: its current one.")
  private @Nullable String context;

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NS",
      description = "The namespace. Default: that of the context, else default.")
  private @Nullable String namespace;

  @Option(
      names = "--no-color",
      description = "No colours. The environment variable NO_COLOR does the same.")
  private boolean noColour;

  Terminal on(Terminal terminal) {
    return noColour ? terminal.withoutColour() : terminal;
  }

  /** A client, and where it leads. Nothing is sent yet. */
  Clusters open() {
    Config config =
        new ConfigBuilder(config())
            // Who types a command wants the reason now, not after ten tries.
            .withRequestRetryBackoffLimit(0)
            .withConnectionTimeout(5_000)
            .withRequestTimeout(10_000)
            .build();
    String ns =
        Optional.ofNullable(namespace)
            .or(() -> Optional.ofNullable(config.getNamespace()))
            .filter(n -> !n.isEmpty())
            .orElse("default");
    try {
      return new Clusters(
          new KubernetesClientBuilder()
              .withConfig(config)
              .withKubernetesSerialization(serialization())
              .build(),
          ns,
          stripped(config.getMasterUrl()));
    } catch (KubernetesClientException | IllegalArgumentException e) {
      throw new Trouble(
          "cannot use the kubeconfig for %s: %s".formatted(config.getMasterUrl(), e.getMessage()),
          "correct its certificates and keys; kubectl config view shows them",
          e);
    }
  }

  /** Knows no type by itself: to look up the hundreds that Kubernetes has would take longer. */
  private static KubernetesSerialization serialization() {
    var serialization = new KubernetesSerialization(new ObjectMapper(), false);
    // A watch that ends says why in a Status.
    serialization.registerKubernetesResource(Status.class);
    return serialization;
  }

  /** For commands that are printed to be copied. */
  Commands commands() {
    var words = new ArrayList<String>();
    if (kubeconfig != null) {
      words.add("--kubeconfig=" + kubeconfig);
    }
    if (context != null) {
      words.add("--context=" + context);
    }
    return new Commands(words);
  }

  private Config config() {
    List<File> files = files();
    Config config = load();
    if (context != null) {
      List<String> known =
          Objects.requireNonNullElse(config.getContexts(), List.<NamedContext>of()).stream()
              .map(c -> c.getName())
              .toList();
      if (!known.contains(context)) {
        throw new Trouble(
            "--context %s: no such context in %s".formatted(context, names(files)),
            known.isEmpty() ? "it has no contexts" : "choose one of " + String.join(", ", known));
      }
    }
    boolean nowhere =
        files.isEmpty() && Config.DEFAULT_MASTER_URL.equals(stripped(config.getMasterUrl()));
    if (nowhere) {
      throw new Trouble(
          "no kubeconfig: neither --kubeconfig nor $KUBECONFIG is set, and ~/.kube/config does not"
              + " exist",
          "name the file with --kubeconfig FILE");
    }
    return config;
  }

  private Config load() {
    try {
      return kubeconfig == null
          ? Config.autoConfigure(context)
          : Config.fromKubeconfig(context, kubeconfig.toFile());
    } catch (RuntimeException e) {
      throw new Trouble(
          "%s is no kubeconfig: %s".formatted(names(files()), firstLine(e)),
          "correct it, or name another file with --kubeconfig FILE",
          e);
    }
  }

  private List<File> files() {
    if (kubeconfig != null) {
      if (!Files.isRegularFile(kubeconfig) || !Files.isReadable(kubeconfig)) {
        throw new Trouble(
            "--kubeconfig %s: no such file, or not readable".formatted(kubeconfig),
            "name a kubeconfig that exists");
      }
      return List.of(kubeconfig.toFile());
    }
    return Config.getKubeconfigFilenames().stream().map(File::new).filter(File::isFile).toList();
  }

  private static String names(List<File> files) {
    return files.isEmpty()
        ? "the kubeconfig"
        : String.join(", ", files.stream().map(File::getPath).toList());
  }

  private static String stripped(@Nullable String url) {
    return Cluster.word(url).replaceFirst("/+$", "");
  }

  private static String firstLine(Throwable e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    return Cluster.word(cause.getMessage()).lines().findFirst().orElse("unreadable");
  }
}
