package dev.belay.sandbox;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where the programs of the control plane are. */
public record Binaries(
    Path etcd, Path apiServer, Path controllerManager, Path scheduler, Path kubectl) {
  private static final String KUBERNETES = "1.36.3";
  private static final String ETCD = "3.6.16";
  private static final Pattern FITTING_KUBERNETES = Pattern.compile("v1\\.36\\..*", Pattern.DOTALL);
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+");

  /** Looks in KUBEBUILDER_ASSETS, then PATH, then the cache that {@code make binaries} fills. */
  public static Binaries find() {
    return find(System.getenv());
  }

  static Binaries find(Map<String, String> env) {
    Path cache = cache(env);
    Path kubernetes = kubernetesFolder(env, cache.resolve("kubernetes-" + KUBERNETES));
    return new Binaries(
        etcd(env, cache.resolve("etcd-" + ETCD)),
        need(kubernetes, "kube-apiserver"),
        need(kubernetes, "kube-controller-manager"),
        need(kubernetes, "kube-scheduler"),
        need(kubernetes, "kubectl"));
  }

  /** The folder that everything built or fetched once is kept in. */
  public static Path cache() {
    return cache(System.getenv());
  }

  static Path cache(Map<String, String> env) {
    String own = env.getOrDefault("BELAY_CACHE", "");
    if (!own.isBlank()) {
      return Path.of(own);
    }
    String xdg = env.getOrDefault("XDG_CACHE_HOME", "");
    if (!xdg.isBlank()) {
      return Path.of(xdg, "belay");
    }
    String home = env.getOrDefault("HOME", System.getProperty("user.home", "."));
    return Path.of(home, ".cache", "belay");
  }

  /** All four come from one folder, so that an API server never meets a foreign scheduler. */
  private static Path kubernetesFolder(Map<String, String> env, Path built) {
    for (Path folder : installed(env)) {
      Path server = folder.resolve("kube-apiserver");
      boolean complete =
          List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl").stream()
              .allMatch(name -> Files.isExecutable(folder.resolve(name)));
      String version = complete ? versionOf(server) : null;
      if (version != null
          && FITTING_KUBERNETES.matcher(version.replace("Kubernetes ", "")).matches()) {
        return folder;
      }
    }
    return built;
  }

  private static Path etcd(Map<String, String> env, Path built) {
    for (Path folder : installed(env)) {
      Path etcd = folder.resolve("etcd");
      String version = Files.isExecutable(etcd) ? versionOf(etcd) : null;
      if (version != null && atLeast35(version)) {
        return etcd;
      }
    }
    return need(built, "etcd");
  }

  static boolean atLeast35(String version) {
    Matcher numbers = VERSION.matcher(version);
    if (!numbers.find()) {
      return false;
    }
    int major = Integer.parseInt(numbers.group(1));
    int minor = Integer.parseInt(numbers.group(2));
    return major > 3 || (major == 3 && minor >= 5);
  }

  private static List<Path> installed(Map<String, String> env) {
    List<Path> folders = new ArrayList<>();
    String assets = env.getOrDefault("KUBEBUILDER_ASSETS", "");
    if (!assets.isBlank()) {
      folders.add(Path.of(assets));
    }
    for (String folder : env.getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      if (!folder.isBlank()) {
        folders.add(Path.of(folder));
      }
    }
    return folders;
  }

  private static Path need(Path folder, String name) {
    Path program = folder.resolve(name);
    if (!Files.isExecutable(program)) {
      throw new SandboxException(
          "%s not found: no fitting one in KUBEBUILDER_ASSETS or PATH, none at %s; run: make binaries"
              .formatted(name, program));
    }
    return program;
  }

  private static @Nullable String versionOf(Path program) {
    try {
      Process process =
          new ProcessBuilder(program.toString(), "--version").redirectErrorStream(true).start();
      byte[] output = process.getInputStream().readNBytes(4096);
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return null;
      }
      return new String(output, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
