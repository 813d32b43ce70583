package dev.belay.e2e;

import dev.belay.demo.Kubectl;
import dev.belay.demo.OperatorProcess;
import dev.belay.demo.Repository;
import dev.belay.sandbox.Sandbox;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One sandbox with Belay installed and running, shared by all end-to-end tests; each test has its
 * own namespace in it.
 */
final class Arena implements AutoCloseable {

  /**
   * Reached only by what will never come: several systems start side by side on a small machine.
   */
  static final Duration LIMIT = Duration.ofMinutes(3);

  /** Whom the API server knows a test's kubectl as. */
  static final String PERSON = "admin";

  /** Hands the arena to tests that ask for it, and closes it after the last of them. */
  static final class Provider implements ParameterResolver, AfterTestExecutionCallback {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == Arena.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return shared(context).arena(context.getRoot());
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
      if (context.getExecutionException().isPresent()) {
        shared(context).spoil();
      }
    }

    private static Shared shared(ExtensionContext context) {
      return context
          .getStore(StoreScope.LAUNCHER_SESSION, ExtensionContext.Namespace.GLOBAL)
          .computeIfAbsent(Shared.class, _ -> new Shared(), Shared.class);
    }
  }

  /**
   * One for all classes of this process, whose start takes as long as a short test. After a test
   * that failed, the next class and its second try have a new one.
   */
  private static final class Shared implements AutoCloseable {

    private @Nullable Arena arena;
    private @Nullable ExtensionContext root;
    private boolean spoiled;

    /**
     * @param run the root of what is executed now: a class, or the second tries
     */
    synchronized Arena arena(ExtensionContext run) {
      if (spoiled && !run.equals(root)) {
        close();
      }
      root = run;
      if (arena == null) {
        arena = new Arena();
        arena.install();
        spoiled = false;
      }
      return arena;
    }

    synchronized void spoil() {
      spoiled = true;
    }

    @Override
    public synchronized void close() {
      if (arena != null) {
        arena.close();
        arena = null;
      }
    }
  }

  private final Path folder;
  private final Repository repository = Repository.find();
  private final Sandbox sandbox;
  private volatile @Nullable OperatorProcess operator;

  /** A sandbox without Belay, for tests that install it themselves. */
  static Arena empty() {
    return new Arena();
  }

  private Arena() {
    try {
      folder = Files.createTempDirectory("belay-e2e-");
      Path images = Files.createDirectory(folder.resolve("images"));
      Path dir = folder.resolve("sandbox");
      Path cached = Sandbox.Options.in(dir).images();
      for (String image :
          new String[] {
            "etcd",
            "pd",
            "tikv-stand-in",
            "tally",
            "mariadb",
            "mysql",
            "zookeeper",
            "bookkeeper",
            "pravega"
          }) {
        Files.createSymbolicLink(images.resolve(image), cached.resolve(image));
      }
      TinySet.images(images);
      sandbox =
          Sandbox.start(
              Sandbox.Options.in(dir).withImages(images).withBackoff(Duration.ofSeconds(1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void install() {
    for (String part : new String[] {"shared/crd", "namespace", "rbac", "shared/guard"}) {
      kubectl().run("apply", "-f", "deploy/" + part + ".yaml");
    }
    kubectl().awaitStatefulClusters(LIMIT);
    operator = OperatorProcess.start(sandbox, repository);
  }

  Sandbox sandbox() {
    return sandbox;
  }

  Repository repository() {
    return repository;
  }

  /** Images by name and tag, for this sandbox alone. */
  Path images() {
    return folder.resolve("images");
  }

  /** The folder of an image of {@link TinySet}. */
  Path tinyImage(String tag) {
    return images().resolve("tiny").resolve(tag);
  }

  KubernetesClient client() {
    return sandbox.client();
  }

  Kubectl kubectl() {
    return Kubectl.of(sandbox, repository);
  }

  OperatorProcess operator() {
    return Objects.requireNonNull(operator, "no operator was started");
  }

  /** Fails when the operator ended: nothing that is waited for will come. */
  void mustBeAlive() {
    OperatorProcess started = operator;
    if (started != null) {
      started.mustBeAlive();
    }
  }

  /** SIGKILL, and another process of the same installation at once. */
  void killOperator(String... arguments) {
    operator().kill();
    startOperator(arguments);
  }

  /** In the place of one that was killed. */
  void startOperator(String... arguments) {
    operator = OperatorProcess.start(sandbox, repository, arguments);
  }

  /** Where what belongs to it alone is kept. */
  Path folder() {
    return folder;
  }

  /** A namespace of one's own; what runs in it ends with the test. */
  Place place(String name) {
    client()
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    // As a user does it who has tls, auth or migrations.
    kubectl()
        .run(
            "-n",
            name,
            "create",
            "rolebinding",
            "belay-secrets",
            "--clusterrole=belay-operator-secrets",
            "--serviceaccount=belay-system:belay-operator");
    return new Place(this, name);
  }

  @Override
  public void close() {
    OperatorProcess started = operator;
    if (started != null) {
      started.close();
    }
    sandbox.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
