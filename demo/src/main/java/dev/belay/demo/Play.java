package dev.belay.demo;

import dev.belay.sandbox.Sandbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The three acts in order, on one sandbox. */
final class Play implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Play.class);

  private final Stage stage;
  private final Path folder;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private boolean closed;

  Play(Stage stage, Path folder) {
    this.stage = stage;
    this.folder = folder;
  }

  /** Whether Belay kept its word. */
  boolean run() {
    Instant began = Instant.now();
    Repository repository = Repository.find();
    Sandbox.Options options = Sandbox.Options.in(folder);
    for (String version : List.of(World.OLD, World.NEXT, World.LAST)) {
      mustExist(options.images().resolve("etcd").resolve(version));
    }
    stage.say(
        "A real Kubernetes control plane and real etcd, on this machine, for about a minute.");
    var world = new World(own(Sandbox.start(options)), repository, stage);
    stage.say("Kubernetes is up after " + Panel.seconds(since(began)) + ".");

    ActResult first = new WithoutBelay(world).play();
    EtcdCluster guarded = own(new EtcdCluster(world.sandbox(), WithBelay.NAMESPACE));
    install(world);
    ActResult second = new WithBelay(world, guarded).play();
    stage.title("Act 3: on to 3.7, asked for by version");
    var byVersion = new ByVersion(world, guarded);
    byVersion.refuseToSkip();
    ActResult third = byVersion.play();

    var summary = new Summary(List.of(first, second, third));
    stage.title("The acts side by side");
    summary.table().forEach(stage::say);
    stage.say("");
    stage.say(verdict(summary) + " (" + since(began).toSeconds() + " s in all)");
    stage.close("");
    close();
    return summary.kept();
  }

  private static void mustExist(Path image) {
    if (!Files.isExecutable(image.resolve("entrypoint"))) {
      throw new DemoException(
          "the image %s is missing".formatted(image.getFileName()),
          "there is no " + image.resolve("entrypoint"),
          "make images");
    }
  }

  /** The same etcd again, and Belay next to it. */
  private void install(World world) {
    stage.title("Act 2: the same fault, the same command, with Belay");
    world.namespace(WithBelay.NAMESPACE);
    world.type("-n", WithBelay.NAMESPACE, "apply", "-f", "examples/etcd.yaml");
    world.type(
        "apply",
        "-f",
        "deploy/shared/crd.yaml",
        "-f",
        "deploy/namespace.yaml",
        "-f",
        "deploy/rbac.yaml",
        "-f",
        "deploy/shared/guard.yaml");
    stage.command("bin/belay-operator --kubeconfig FILE");
    stage.output("with the account belay-system/belay-operator and no other rights");
    own(OperatorProcess.start(world.sandbox(), world.repository()));
    world.kubectl().awaitStatefulClusters(Duration.ofSeconds(30));
  }

  private String verdict(Summary summary) {
    return summary.kept()
        ? stage.paint().green("With Belay nothing was lost, and every member runs " + World.LAST)
        : stage.paint().red("Belay did not keep its word: see the table");
  }

  private static Duration since(Instant instant) {
    return Duration.between(instant, Instant.now());
  }

  private synchronized <T extends AutoCloseable> T own(T part) {
    open.push(part);
    if (closed) {
      closeAll();
    }
    return part;
  }

  /** Ends everything that was started, last first. */
  @Override
  public synchronized void close() {
    closed = true;
    closeAll();
  }

  private void closeAll() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        LOG.warn("while stopping", e);
      }
    }
  }
}
