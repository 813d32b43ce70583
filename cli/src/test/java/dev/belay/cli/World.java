package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.cli.Samples.Recorder;
import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** One real control plane for all tests of this module, and a set that nobody rolls. */
final class World {

  /** How a run of the command line ended. */
  record Ran(int exit, String out, String err) {}

  private static final ControlPlane PLANE = begin();
  private static final Ran WITHOUT_CRD = belay("status");

  static {
    install();
  }

  private static ControlPlane begin() {
    try {
      ControlPlane plane =
          ControlPlane.start(Files.createTempDirectory(Path.of("target"), "plane"));
      Runtime.getRuntime().addShutdownHook(new Thread(plane::close));
      return plane;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void install() {
    try (var crd = Files.newInputStream(Path.of("../deploy/shared/crd.yaml"))) {
      admin().load(crd).serverSideApply();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    eventually(() -> belay("status").exit() == 0);
    for (String ns : List.of("db", "other")) {
      admin()
          .resource(new NamespaceBuilder().withNewMetadata().withName(ns).endMetadata().build())
          .create();
    }
    admin()
        .load(
            new ByteArrayInputStream(
                """
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: etcd, namespace: db}
                spec:
                  replicas: 0
                  serviceName: etcd
                  selector: {matchLabels: {app: etcd}}
                  template:
                    metadata: {labels: {app: etcd}}
                    spec: {containers: [{name: etcd, image: "example/etcd:3.5.35"}]}
                """
                    .getBytes(StandardCharsets.UTF_8)))
        .create();
    revision();
  }

  /** What is said before Belay is installed. */
  static Ran withoutCrd() {
    return WITHOUT_CRD;
  }

  static Path user(String name) {
    return PLANE.kubeconfigForUser(name);
  }

  static KubernetesClient admin() {
    return PLANE.client();
  }

  static Ran belay(String... args) {
    return as(PLANE.adminKubeconfig(), args);
  }

  static Ran as(Path kubeconfig, String... args) {
    Recorder pipe = Recorder.pipe();
    String[] all =
        Stream.concat(Arrays.stream(args), Stream.of("--kubeconfig", kubeconfig.toString()))
            .toArray(String[]::new);
    int exit = Main.run(pipe.terminal(), Clock.systemUTC(), all);
    return new Ran(exit, pipe.out().toString(), pipe.err().toString());
  }

  /** The jar and its libraries, as bin/belay starts them. */
  static Process start(String... args) throws IOException {
    Path jar;
    try (Stream<Path> files = Files.list(Path.of("target"))) {
      jar =
          files
              .filter(f -> f.getFileName().toString().matches("belay-cli-[^-]+(-SNAPSHOT)?\\.jar"))
              .findFirst()
              .orElseThrow();
    }
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                jar + ":target/lib/*",
                "dev.belay.cli.Main"));
    command.addAll(List.of(args));
    command.add("--kubeconfig=" + PLANE.adminKubeconfig());
    return new ProcessBuilder(command).start();
  }

  static Path kubeconfig(String name, UnaryOperator<String> change) throws IOException {
    Path file = PLANE.dir().resolve(name);
    return Files.writeString(file, change.apply(Files.readString(PLANE.adminKubeconfig())));
  }

  /** Settled: the newest revision, once the controller has seen the newest template. */
  static String revision() {
    eventually(() -> Verdict.Workload.of(set()).observed());
    return set().getStatus().getUpdateRevision();
  }

  static StatefulSet set() {
    return admin().apps().statefulSets().inNamespace("db").withName("etcd").get();
  }

  static void changeTemplate(String to) {
    admin()
        .apps()
        .statefulSets()
        .inNamespace("db")
        .withName("etcd")
        .edit(s -> {
          s.getSpec().getTemplate().getSpec().getContainers().getFirst().setImage("x/y:" + to);
          return s;
        });
  }

  /** A StatefulCluster of this name in the state of a sample, about the newest revision. */
  static void create(String name, String sample) {
    GenericKubernetesResource raw = sample(name, sample, revision());
    raw.getMetadata().setGeneration(null);
    raw.getMetadata().setCreationTimestamp(null);
    raw.setAdditionalProperty("status", null);
    admin().resource(raw).create();
    write(name, sample, revision());
  }

  static void write(String name, String sample, String revision) {
    GenericKubernetesResource now = resource(name).get();
    GenericKubernetesResource wanted = sample(name, sample, revision);
    @SuppressWarnings("unchecked")
    var status = (Map<String, Object>) wanted.getAdditionalProperties().get("status");
    status.put("observedGeneration", now.getMetadata().getGeneration());
    now.setAdditionalProperty("status", status);
    admin().resource(now).updateStatus();
  }

  /** Idle and held speak of the newest revision as lastGood, the others as target. */
  static GenericKubernetesResource sample(String name, String sample, String revision) {
    String newest = sample.equals("idle") ? "etcd-a" : "etcd-b";
    return Serialization.unmarshal(
        Samples.text(sample)
            .replace("\"" + newest + "\"", "\"" + revision + "\"")
            .replace("name: my-etcd", "name: " + name),
        GenericKubernetesResource.class);
  }

  static Resource<GenericKubernetesResource> resource(String name) {
    return admin()
        .genericKubernetesResources("belay.dev/v1alpha1", "StatefulCluster")
        .inNamespace("db")
        .withName(name);
  }

  static void eventually(BooleanSupplier so) {
    Instant end = Instant.now().plus(Duration.ofSeconds(60));
    while (!so.getAsBoolean()) {
      assertThat(Instant.now()).isBefore(end);
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private World() {}
}
