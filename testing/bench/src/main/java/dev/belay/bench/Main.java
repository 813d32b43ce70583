package dev.belay.bench;

import dev.belay.demo.OperatorProcess;
import dev.belay.demo.Repository;
import dev.belay.sandbox.Sandbox;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * How long Belay hesitates between two members, next to the native StatefulSet controller, in
 * alternating rounds of one run on one control plane.
 */
@Command(
    name = "belay-bench",
    description = "Measures the dead time between two members, next to the native controller.",
    mixinStandardHelpOptions = true)
public final class Main implements Callable<Integer> {

  private static final String NATIVE = "native";
  private static final String BELAY = "belay";

  @Option(
      names = "--replicas",
      defaultValue = "5",
      description = "Members. Default: ${DEFAULT-VALUE}.")
  private int replicas;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Roll-outs each. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--foreign-pods",
      defaultValue = "0",
      description =
          "Measure instead what this many pods that nobody asked about cost the operator. Default:"
              + " ${DEFAULT-VALUE}.")
  private int foreignPods;

  @Option(
      names = "--migrations",
      defaultValue = "0",
      description =
          "Measure instead what each of this many migrations that do nothing costs, next to Flyway."
              + " Default: ${DEFAULT-VALUE}.")
  private int migrations;

  @Option(
      names = "--guard",
      description =
          "Measure instead what the guard costs a write of a StatefulSet, next to an API server"
              + " without it.")
  private boolean guard;

  @Option(
      names = "--writes",
      defaultValue = "100",
      description = "With --guard: writes per case, 40 or more. Default: ${DEFAULT-VALUE}.")
  private int writes;

  @Spec private CommandSpec spec = CommandSpec.create();

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main()).setParameterExceptionHandler(Main::misused);
  }

  private static int misused(ParameterException e, String[] args) {
    PrintWriter err = e.getCommandLine().getErr();
    err.println("belay-bench: " + e.getMessage());
    err.println("fix: see make bench ARGS=--help");
    err.flush();
    return e.getCommandLine().getCommandSpec().exitCodeOnInvalidInput();
  }

  /** Says what is wrong with the arguments before anything is started. */
  private void check() {
    refuseIf(replicas < 2, "--replicas " + replicas + ": a rollout has no steps below 2");
    refuseIf(rounds < 1, "--rounds " + rounds + ": at least 1 is needed");
    refuseIf(foreignPods < 0, "--foreign-pods " + foreignPods + " is negative");
    refuseIf(migrations < 0, "--migrations " + migrations + " is negative");
    refuseIf(
        Stream.of(guard, migrations > 0, foreignPods > 0).filter(b -> b).count() > 1,
        "--guard, --migrations and --foreign-pods are different measurements: choose one");
    refuseIf(
        writes < GuardCost.MIN_WRITES,
        "--writes %d: at least %d are needed for a p95".formatted(writes, GuardCost.MIN_WRITES));
    refuseIf(
        !guard && spec.commandLine().getParseResult().hasMatchedOption("--writes"),
        "--writes is only for --guard");
  }

  private void refuseIf(boolean wrong, String message) {
    if (wrong) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  @Override
  public Integer call() throws Exception {
    check();
    if (guard) {
      GuardCost.measure(writes);
      return 0;
    }
    if (migrations > 0) {
      Migrations.measure(migrations, Math.max(rounds, 7));
      return 0;
    }
    Path dir = Files.createTempDirectory("belay-bench");
    Path images = images(dir.resolve("images"));
    Repository repository = Repository.find();
    System.out.println(
        foreignPods > 0
            ? "Starting a sandbox; then " + foreignPods + " foreign pods."
            : "Starting a sandbox; " + rounds + " roll-outs of " + replicas + " members each way.");
    try (Sandbox sandbox =
            Sandbox.start(Sandbox.Options.in(dir.resolve("sandbox")).withImages(images));
        OperatorProcess operator = operator(sandbox, repository)) {
      KubernetesClient client = sandbox.client();
      prepare(client);
      if (foreignPods > 0) {
        new ForeignPods(client, BELAY, operator.pid()).measure(foreignPods);
        operator.mustBeAlive();
        return 0;
      }
      var nativeSteps = new ArrayList<Duration>();
      var belaySteps = new ArrayList<Duration>();
      for (int round = 1; round <= rounds; round++) {
        String image = "tiny:" + (round + 1);
        nativeSteps.addAll(roll(client, NATIVE, image));
        belaySteps.addAll(roll(client, BELAY, image));
        operator.mustBeAlive();
        System.out.printf(Locale.ROOT, "round %d of %d%n", round, rounds);
      }
      print(nativeSteps, belaySteps);
    }
    return 0;
  }

  private OperatorProcess operator(Sandbox sandbox, Repository repository) throws IOException {
    for (String file : List.of("namespace", "shared/crd", "rbac", "shared/guard")) {
      try (InputStream in = Files.newInputStream(repository.file("deploy/" + file + ".yaml"))) {
        sandbox.client().load(in).serverSideApply();
      }
    }
    return OperatorProcess.start(sandbox, repository);
  }

  private void prepare(KubernetesClient client) {
    for (String namespace : List.of(NATIVE, BELAY)) {
      client
          .resource(
              new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
          .create();
      create(client, namespace, set());
    }
    await("the pods", () -> settled(client, NATIVE, "tiny:1") && settled(client, BELAY, "tiny:1"));
    await("the API server to take a StatefulCluster", () -> taken(client));
    await("adoption", () -> idle(client));
  }

  private List<Duration> roll(KubernetesClient client, String namespace, String image) {
    try (var dead = new DeadTime(client, namespace, "tiny")) {
      client
          .apps()
          .statefulSets()
          .inNamespace(namespace)
          .withName("tiny")
          .patch(
              PatchContext.of(PatchType.STRATEGIC_MERGE),
              "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"tiny\",\"image\":\"%s\"}]}}}}"
                  .formatted(image));
      await(namespace + " to reach " + image, () -> settled(client, namespace, image));
      if (namespace.equals(BELAY)) {
        await("Belay to call it done", () -> idle(client));
      }
      return dead.steps();
    }
  }

  private boolean settled(KubernetesClient client, String namespace, String image) {
    List<Pod> pods =
        client.pods().inNamespace(namespace).withLabel("app", "tiny").list().getItems();
    StatefulSet set = client.apps().statefulSets().inNamespace(namespace).withName("tiny").get();
    return pods.size() == replicas
        && set.getStatus() != null
        && Integer.valueOf(replicas).equals(set.getStatus().getReadyReplicas())
        && pods.stream()
            .allMatch(p -> p.getSpec().getContainers().getFirst().getImage().equals(image));
  }

  /** A policy learns a new schema a moment after the schema was taken. */
  private static boolean taken(KubernetesClient client) {
    try {
      create(client, BELAY, CLUSTER);
      return true;
    } catch (KubernetesClientException e) {
      if (e.getMessage() != null && e.getMessage().contains("not found")) {
        return false;
      }
      throw e;
    }
  }

  private static boolean idle(KubernetesClient client) {
    Object phase =
        client
            .genericKubernetesResources("belay.dev/v1alpha1", "StatefulCluster")
            .inNamespace(BELAY)
            .withName("tiny")
            .get()
            .get("status", "phase");
    return "Idle".equals(phase);
  }

  private static void print(List<Duration> nativeSteps, List<Duration> belaySteps) {
    var ofNative = new Latencies(nativeSteps);
    var ofBelay = new Latencies(belaySteps);
    System.out.printf(Locale.ROOT, "%nFrom \"member ready\" to \"next member told to go\":%n");
    System.out.printf(Locale.ROOT, "%-10s %6s %12s %12s%n", "", "steps", "median", "p90");
    row("native", ofNative);
    row("Belay", ofBelay);
    System.out.printf(
        Locale.ROOT,
        "Belay hesitates %.0f ms longer than the native controller at the median (aim: 100 ms).%n",
        ofBelay.medianMillis() - ofNative.medianMillis());
  }

  private static void row(String name, Latencies steps) {
    System.out.printf(
        Locale.ROOT,
        "%-10s %6d %9.0f ms %9.0f ms%n",
        name,
        steps.count(),
        steps.medianMillis(),
        steps.quantileMillis(0.9));
  }

  /** Images tiny:1 to tiny:N+1: a process that is ready a moment after its start. */
  private Path images(Path dir) throws IOException {
    for (int tag = 1; tag <= rounds + 1; tag++) {
      Path image = Files.createDirectories(dir.resolve("tiny/" + tag));
      Path entrypoint = image.resolve("entrypoint");
      Files.writeString(
          entrypoint,
          """
          #!/bin/sh
          trap 'exit 0' TERM
          touch /tmp/ready
          while :; do sleep 1d & wait; done
          """);
      Files.setPosixFilePermissions(entrypoint, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return dir;
  }

  private static void create(KubernetesClient client, String namespace, String yaml) {
    client
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .inNamespace(namespace)
        .create();
  }

  static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofMinutes(5).toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("waited in vain for " + what);
      }
      try {
        Thread.sleep(100);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private String set() {
    return """
    apiVersion: apps/v1
    kind: StatefulSet
    metadata: {name: tiny}
    spec:
      replicas: %d
      serviceName: tiny
      selector: {matchLabels: {app: tiny}}
      template:
        metadata: {labels: {app: tiny}}
        spec:
          terminationGracePeriodSeconds: 5
          containers:
          - name: tiny
            image: tiny:1
            readinessProbe: {exec: {command: [test, -f, /tmp/ready]}, periodSeconds: 1}
    """
        .formatted(replicas);
  }

  private static final String CLUSTER =
      """
      apiVersion: belay.dev/v1alpha1
      kind: StatefulCluster
      metadata: {name: tiny}
      spec:
        components:
        - name: tiny
          workload: {name: tiny}
          driver: {type: none}
      """;
}
