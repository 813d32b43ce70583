package dev.belay.cli;

import dev.belay.cli.Samples.Recorder;
import dev.belay.cli.World.Ran;
import dev.belay.core.guard.Mark;
import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A control plane of its own with the guard installed: for a moment after that, the API server
 * takes no StatefulCluster, which would disturb the tests on the shared one.
 */
final class GuardedPlane implements AutoCloseable {

  static final String NAMESPACE = "db";
  static final String OPERATOR = "system:serviceaccount:belay-system:belay-operator";
  private static final String REMOVAL =
      "{\"metadata\":{\"labels\":{\"belay.dev/cluster\":null},"
          + "\"annotations\":{\"belay.dev/owner\":null}}}";

  private final ControlPlane plane;
  private final KubernetesClient operator;

  private GuardedPlane(ControlPlane plane) {
    this.plane = plane;
    for (String file : List.of("namespace", "shared/crd", "rbac", "shared/roles")) {
      apply(file);
    }
    admin()
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
    this.operator = ControlPlane.client(plane.kubeconfigFor("belay-system", "belay-operator"));
    eventually("the operator has its rights", this::operatorReads);
  }

  private boolean operatorReads() {
    try {
      operator.apps().deployments().inNamespace(NAMESPACE).list();
      return true;
    } catch (KubernetesClientException notYet) {
      return false;
    }
  }

  static GuardedPlane start() throws IOException {
    return new GuardedPlane(
        ControlPlane.start(Files.createTempDirectory(Path.of("target"), "guarded")));
  }

  /** Needs a marked set called probe. */
  void guard() {
    apply("shared/guard");
    removalIs("helm", "kept");
    removalIs("kubectl-edit", "refused");
  }

  /** As on a Kubernetes without mutating policies. */
  void onlyValidating() {
    admin()
        .genericKubernetesResources(
            "admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding")
        .withName("belay-guard")
        .delete();
    removalIs("helm", "refused");
  }

  private void removalIs(String fieldManager, String wanted) {
    var answer = new AtomicReference<>("");
    try {
      eventually(
          "a removal by %s is %s".formatted(fieldManager, wanted),
          () -> {
            answer.set(removal(fieldManager));
            return answer.get().equals(wanted);
          });
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; the API server said: " + answer.get(), e);
    }
  }

  /** What a dry run says that removes the mark of the set called probe. */
  private String removal(String fieldManager) {
    try {
      HasMetadata answer =
          workload("sts/probe")
              .patch(
                  new PatchContext.Builder()
                      .withPatchType(PatchType.JSON_MERGE)
                      .withFieldManager(fieldManager)
                      .withDryRun(List.of("All"))
                      .build(),
                  REMOVAL);
      return mark(answer).equals(Mark.NONE) ? "removed" : "kept";
    } catch (KubernetesClientException e) {
      return e.getCode() == HttpURLConnection.HTTP_FORBIDDEN ? "refused" : e.getMessage();
    }
  }

  private void apply(String file) {
    try (InputStream in = Files.newInputStream(Path.of("../deploy/" + file + ".yaml"))) {
      admin().load(in).serverSideApply();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  KubernetesClient admin() {
    return plane.client();
  }

  Path user(String name) {
    return plane.kubeconfigForUser(name);
  }

  Ran belay(Path kubeconfig, String... args) {
    Recorder pipe = Recorder.pipe();
    String[] all =
        Stream.concat(
                Arrays.stream(args),
                Stream.of("-n", NAMESPACE, "--kubeconfig", kubeconfig.toString()))
            .toArray(String[]::new);
    int exit = Main.run(pipe.terminal(), Clock.systemUTC(), all);
    return new Ran(exit, pipe.out().toString(), pipe.err().toString());
  }

  /** A command line as it stands in the docs. */
  Ran shell(Path kubeconfig, String line) throws IOException, InterruptedException {
    var builder =
        new ProcessBuilder("bash", "-c", "kubectl() { \"$KUBECTL\" \"$@\"; }\n" + line)
            .redirectOutput(plane.dir().resolve("shell.out").toFile())
            .redirectError(plane.dir().resolve("shell.err").toFile());
    builder.environment().put("KUBECTL", plane.kubectl().toString());
    builder.environment().put("KUBECONFIG", kubeconfig.toString());
    builder.environment().put("KUBECACHEDIR", plane.dir().resolve("kubectl-cache").toString());
    int exit = builder.start().waitFor();
    return new Ran(
        exit,
        Files.readString(plane.dir().resolve("shell.out")),
        Files.readString(plane.dir().resolve("shell.err")));
  }

  /** For a moment after a policy on StatefulClusters is made, the API server takes none. */
  void cluster(String name, String workload) {
    eventually(
        "the API server takes a StatefulCluster",
        () -> {
          try {
            create(
                """
                apiVersion: belay.dev/v1alpha1
                kind: StatefulCluster
                metadata: {name: %s}
                spec:
                  components:
                  - {name: app, workload: {%s}, driver: {type: none}}
                """
                    .formatted(name, workload));
            return true;
          } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_UNAVAILABLE) {
              return false;
            }
            throw e;
          }
        });
  }

  /** A workload without pods; {@code spec} is further fields of the spec. */
  void workload(String kind, String name, String metadata, String spec) {
    create(
        """
        apiVersion: apps/v1
        kind: %s
        metadata: {name: %s%s}
        spec:
          replicas: 0
          selector: {matchLabels: {app: %2$s}}
          template:
            metadata: {labels: {app: %2$s}}
            spec: {containers: [{name: app, image: "app:1"}]}
          %4$s
        """
            .formatted(kind, name, metadata, spec));
  }

  void create(String yaml) {
    admin()
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .inNamespace(NAMESPACE)
        .create();
  }

  /** Marks a workload as the operator does. */
  void own(String workload, String cluster, long epoch) {
    String patch =
        """
        {"metadata":{"labels":{"belay.dev/cluster":"%s"},"annotations":{"belay.dev/owner":"%d %s"}}}
        """
            .formatted(cluster, epoch, OPERATOR);
    workload(operator, workload).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /** Applies the mark's label and another one as the operator copies them. */
  void copyLabels(String workload, String cluster, String labels) {
    var resource = workload(operator, workload);
    var meta = resource.require().getMetadata();
    String applied =
        """
        apiVersion: apps/v1
        kind: %s
        metadata: {name: %s, uid: %s, labels: {belay.dev/cluster: %s, %s}}
        """
            .formatted(
                resource.require().getKind(), meta.getName(), meta.getUid(), cluster, labels);
    resource.patch(
        new PatchContext.Builder()
            .withPatchType(PatchType.SERVER_SIDE_APPLY)
            .withFieldManager(Mark.LABELS_MANAGER)
            .build(),
        applied);
  }

  Mark mark(String workload) {
    return mark(workload(workload).require());
  }

  private static Mark mark(HasMetadata workload) {
    var labels = Optional.ofNullable(workload.getMetadata().getLabels());
    var annotations = Optional.ofNullable(workload.getMetadata().getAnnotations());
    return new Mark(
        labels.map(l -> l.get(Mark.LABEL)), annotations.map(a -> a.get(Mark.ANNOTATION)));
  }

  Resource<? extends HasMetadata> workload(String workload) {
    return workload(admin(), workload);
  }

  private static Resource<? extends HasMetadata> workload(
      KubernetesClient client, String workload) {
    String name = workload.substring(workload.indexOf('/') + 1);
    return workload.startsWith("sts/")
        ? client.apps().statefulSets().inNamespace(NAMESPACE).withName(name)
        : client.apps().deployments().inNamespace(NAMESPACE).withName(name);
  }

  static void eventually(String what, BooleanSupplier so) {
    Instant end = Instant.now().plus(Duration.ofSeconds(60));
    while (!so.getAsBoolean()) {
      if (Instant.now().isAfter(end)) {
        throw new AssertionError("not within a minute: " + what);
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void close() {
    operator.close();
    plane.close();
  }
}
