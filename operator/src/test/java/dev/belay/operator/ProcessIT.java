package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.operator.metrics.Family;
import dev.belay.sandbox.Child;
import dev.belay.sandbox.ControlPlane;
import dev.belay.sandbox.Sandbox;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The operator as a process with its own arguments, on a control plane with nodes. */
class ProcessIT {

  private static final String SELECTOR = "tier in (gold, silver),!legacy";

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static Sandbox sandbox;
  private static Path dir;
  private static Running operator;

  /** A process of the operator and where it serves its metrics. */
  private record Running(Process process, int port) implements AutoCloseable {

    static Running start(String name) throws IOException {
      int port;
      try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        port = socket.getLocalPort();
      }
      var builder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "dev.belay.operator.Main",
                  "--kubeconfig",
                  sandbox.kubeconfigFor("belay-system", "belay-operator").toString(),
                  "--selector",
                  SELECTOR,
                  "--identity",
                  name,
                  "--metrics-port",
                  String.valueOf(port))
              .redirectErrorStream(true)
              .redirectOutput(dir.resolve(name + ".log").toFile());
      return new Running(Child.fork(builder), port);
    }

    HttpResponse<String> get(String path) {
      try {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        return HTTP.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    /** The numbers, one per line, without help and types. */
    List<String> numbers() {
      return get("/metrics").body().lines().filter(l -> !l.startsWith("#")).toList();
    }

    boolean ready() {
      try {
        return get("/readyz").statusCode() == 200;
      } catch (UncheckedIOException e) {
        assertThat(process.isAlive()).as("the operator lives").isTrue();
        return false;
      }
    }

    @Override
    public void close() {
      process.destroy();
      try {
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
          process.destroyForcibly().waitFor();
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @BeforeAll
  static void start() throws IOException {
    dir = Files.createTempDirectory("belay-process-it");
    Path images = dir.resolve("images");
    for (String tag : List.of("1", "2")) {
      Path image = Files.createDirectories(images.resolve("tiny/" + tag));
      Path entrypoint = image.resolve("entrypoint");
      Files.writeString(entrypoint, "#!/bin/sh\nexec sleep 1d\n");
      Files.setPosixFilePermissions(entrypoint, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    sandbox = Sandbox.start(Sandbox.Options.in(dir.resolve("sandbox")).withImages(images));
    for (String file : List.of("namespace", "shared/crd", "rbac", "shared/guard")) {
      try (InputStream in = Files.newInputStream(Path.of("../deploy/" + file + ".yaml"))) {
        sandbox.client().load(in).serverSideApply();
      }
    }
    operator = Running.start("first");
    Rig.await("the operator to be ready", operator::ready);
  }

  @AfterAll
  static void stop() {
    if (operator != null) {
      operator.close();
    }
    if (sandbox != null) {
      sandbox.close();
    }
  }

  private static KubernetesClient client() {
    return sandbox.client();
  }

  private static void namespace(String name) {
    client()
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
  }

  /** A set of members that only live, and the StatefulCluster that names it. */
  private static void cluster(String namespace, String name, int replicas, String labels) {
    String yaml =
        """
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: %1$s}
        spec:
          replicas: %2$d
          serviceName: %1$s
          selector: {matchLabels: {app: %1$s}}
          template:
            metadata: {labels: {app: %1$s}}
            spec:
              terminationGracePeriodSeconds: 1
              containers: [{name: tiny, image: "tiny:1"}]
        ---
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: %1$s, labels: {%3$s}}
        spec:
          components:
          - name: members
            workload: {name: %1$s}
            driver: {type: none}
        """
            .formatted(name, replicas, labels);
    Rig.await("the API server takes it", () -> created(namespace, yaml));
  }

  /** For a moment after a policy on StatefulClusters is made, the API server takes none. */
  private static boolean created(String namespace, String yaml) {
    try {
      client().load(stream(yaml)).inNamespace(namespace).serverSideApply();
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_UNAVAILABLE) {
        return false;
      }
      throw e;
    }
  }

  private static InputStream stream(String yaml) {
    return new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
  }

  private static void setImage(String namespace, String image) {
    client()
        .apps()
        .statefulSets()
        .inNamespace(namespace)
        .withName("db")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"tiny\",\"image\":\"%s\"}]}}}}"
                .formatted(image));
  }

  private static StatefulCluster read(String namespace, String name) {
    return client().resources(StatefulCluster.class).inNamespace(namespace).withName(name).get();
  }

  private static boolean idle(String namespace, String name) {
    var status = read(namespace, name).getStatus();
    return status != null && "Idle".equals(status.phase());
  }

  private static void label(String namespace, String name, String labels) {
    client()
        .resources(StatefulCluster.class)
        .inNamespace(namespace)
        .withName(name)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":%s}}".formatted(labels));
  }

  private static boolean counted(String namespace, String name) {
    String labels = "{namespace=\"%s\",cluster=\"%s\"".formatted(namespace, name);
    return operator.numbers().stream()
        .anyMatch(l -> l.contains(labels) && !l.startsWith("belay_cluster_unmanaged"));
  }

  @Test
  void a_roll_out_can_be_followed_in_the_metrics_which_vanish_with_the_cluster() {
    namespace("scraped");
    cluster("scraped", "db", 3, "tier: gold");
    Rig.await(
        "adoption",
        () -> idle("scraped", "db") && "3/3".equals(read("scraped", "db").getStatus().ready()));
    setImage("scraped", "tiny:2");

    Set<String> updated = new LinkedHashSet<>();
    Set<String> phases = new LinkedHashSet<>();
    String three = "{namespace=\"scraped\",cluster=\"db\",component=\"members\"} ";
    Rig.await(
        "the roll-out in the metrics",
        () -> {
          List<String> numbers = operator.numbers();
          numbers.stream()
              .filter(l -> l.startsWith("belay_cluster_updated_replicas" + three))
              .forEach(l -> updated.add(l.substring(l.lastIndexOf(' ') + 1)));
          numbers.stream()
              .filter(l -> l.matches("belay_cluster_phase\\{namespace=\"scraped\".* 1"))
              .forEach(l -> phases.add(l.replaceAll(".*phase=\"(\\w+)\".*", "$1")));
          return numbers.contains("belay_cluster_updated_replicas" + three + "3")
              && numbers.contains(
                  "belay_cluster_phase{namespace=\"scraped\",cluster=\"db\",phase=\"Idle\"} 1")
              && updated.size() > 1;
        });

    assertThat(updated).as("members updated, as scraped").containsAnyOf("1", "2").contains("3");
    assertThat(phases).contains("Upgrading", "Idle");
    List<String> numbers = operator.numbers();
    assertThat(numbers)
        .contains(
            "belay_cluster_replicas" + three + "3",
            "belay_cluster_updated_replicas" + three + "3",
            "belay_cluster_current_replicas" + three + "0",
            "belay_cluster_ready_replicas" + three + "3",
            "belay_steps_total{namespace=\"scraped\",cluster=\"db\",kind=\"Release\","
                + "outcome=\"accepted\"} 3",
            "belay_leader_moves_total{namespace=\"scraped\",cluster=\"db\"} 0",
            "belay_upgrade_duration_seconds{namespace=\"scraped\",cluster=\"db\",part=\"waiting\"} 0");
    assertThat(numbers)
        .anyMatch(l -> l.startsWith("belay_cluster_last_partition_updated_seconds" + three));
    String served = operator.get("/metrics").body();
    assertThat(
            served
                .lines()
                .filter(l -> l.startsWith("# TYPE "))
                .map(l -> l.replaceAll("# TYPE (\\w+) .*", "$1")))
        .containsExactlyElementsOf(Arrays.stream(Family.values()).map(Family::text).toList());
    assertThat(operator.get("/metrics").headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");

    client().resource(read("scraped", "db")).delete();
    Rig.await("the numbers to vanish", () -> !counted("scraped", "db"));
  }

  @Test
  void a_set_based_selector_chooses_and_a_change_of_labels_hands_over() {
    namespace("chosen");
    cluster("chosen", "gold", 1, "tier: gold");
    cluster("chosen", "old", 1, "tier: gold, legacy: \"yes\"");
    cluster("chosen", "bronze", 1, "tier: bronze");
    cluster("chosen", "silver", 1, "tier: silver");
    Rig.await("the chosen", () -> idle("chosen", "gold") && idle("chosen", "silver"));
    assertThat(read("chosen", "old").getStatus()).isNull();
    assertThat(read("chosen", "bronze").getStatus()).isNull();

    label("chosen", "bronze", "{\"tier\":\"silver\"}");
    label("chosen", "gold", "{\"tier\":null}");
    Rig.await("the newly chosen", () -> idle("chosen", "bronze"));
    Rig.await("the numbers of the other to vanish", () -> !counted("chosen", "gold"));
    Rig.await(
        "the cluster that no operator acts on",
        () ->
            operator
                .numbers()
                .contains("belay_cluster_unmanaged{namespace=\"chosen\",cluster=\"gold\"} 1"));
    assertThat(read("chosen", "gold").getStatus().owner().released()).isTrue();
    assertThat(counted("chosen", "bronze")).isTrue();
    assertThat(counted("chosen", "silver")).isTrue();

    // What happens to its set is no longer this operator's business.
    String before = read("chosen", "gold").getMetadata().getResourceVersion();
    String others = read("chosen", "silver").getMetadata().getResourceVersion();
    for (String name : List.of("gold", "silver")) {
      client().apps().statefulSets().inNamespace("chosen").withName(name).scale(2);
    }
    Rig.await(
        "the one that is still chosen",
        () -> !read("chosen", "silver").getMetadata().getResourceVersion().equals(others));
    Rig.await("the scaled set", () -> pods("gold") == 2);
    assertThat(read("chosen", "gold").getMetadata().getResourceVersion()).isEqualTo(before);
    assertThat(counted("chosen", "gold")).isFalse();
  }

  @Test
  void a_cluster_that_is_made_again_at_once_is_looked_at_each_time() {
    namespace("again");
    cluster("again", "db", 1, "tier: gold");
    for (int round = 1; round <= 20; round++) {
      Rig.await("life " + round, () -> read("again", "db").getStatus() != null);
      var clusters = client().resources(StatefulCluster.class).inNamespace("again");
      var before = clusters.withName("db").get();
      clusters.withName("db").delete();
      before.setMetadata(
          new ObjectMetaBuilder().withName("db").withLabels(Map.of("tier", "gold")).build());
      before.setStatus(null);
      Rig.await(
          "the next one",
          () -> {
            try {
              return clusters.resource(before).create() != null;
            } catch (KubernetesClientException e) {
              return false;
            }
          });
    }
  }

  private static int pods(String app) {
    return client().pods().inNamespace("chosen").withLabel("app", app).list().getItems().size();
  }

  @Test
  void a_step_that_is_refused_again_and_again_is_tried_ever_more_rarely_and_then_goes_on() {
    namespace("refused");
    cluster("refused", "db", 1, "tier: gold");
    Rig.await(
        "adoption",
        () -> idle("refused", "db") && "1/1".equals(read("refused", "db").getStatus().ready()));
    client().load(stream(NOT_TODAY)).create();
    try (KubernetesClient account =
        ControlPlane.client(sandbox.kubeconfigFor("belay-system", "belay-operator"))) {
      Rig.await("the refusal", () -> refuses(account));
    }
    setImage("refused", "tiny:2");

    Rig.await("the fifth attempt", () -> attempts("refused") >= 5);
    var status = read("refused", "db").getStatus();
    Duration took =
        Duration.between(
            Instant.parse(status.components().getFirst().target().since()),
            Instant.parse(status.step().since()));
    // Events of the set may cut the first pauses short; the last one is whole.
    long pause = 500L << Math.min(status.step().attempts() - 2, 5);
    assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(pause));

    client().load(stream(NOT_TODAY)).delete();
    Rig.await(
        "the roll-out to go on",
        () ->
            idle("refused", "db")
                && "2".equals(read("refused", "db").getStatus().currentVersion()));
  }

  private static int attempts(String namespace) {
    var status = read(namespace, "db").getStatus();
    return status == null || status.step() == null ? 0 : status.step().attempts();
  }

  /** Whether the operator's account may not write to the set any more. */
  private static boolean refuses(KubernetesClient account) {
    try {
      account
          .apps()
          .statefulSets()
          .inNamespace("refused")
          .withName("db")
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              "{\"metadata\":{\"annotations\":{\"tried\":\"%s\"}}}".formatted(Instant.now()));
      return false;
    } catch (KubernetesClientException e) {
      return e.getMessage().contains("not today");
    }
  }

  /** A cluster in which the operator's writes are refused, but not its dry runs. */
  private static final String NOT_TODAY =
      """
      apiVersion: admissionregistration.k8s.io/v1
      kind: ValidatingAdmissionPolicy
      metadata: {name: not-today}
      spec:
        matchConstraints:
          resourceRules:
          - {apiGroups: [apps], apiVersions: [v1], resources: [statefulsets], operations: [UPDATE]}
        matchConditions:
        - name: the-operator-in-earnest
          expression: >-
            request.namespace == 'refused' && request.userInfo.username.endsWith(':belay-operator')
            && !(has(request.dryRun) && request.dryRun)
        validations: [{expression: "false", message: not today}]
      ---
      apiVersion: admissionregistration.k8s.io/v1
      kind: ValidatingAdmissionPolicyBinding
      metadata: {name: not-today}
      spec: {policyName: not-today, validationActions: [Deny]}
      """;

  @Test
  void a_process_that_waits_for_the_lease_is_well_and_has_no_numbers() throws IOException {
    try (Running standby = Running.start("second")) {
      Rig.await("the second process to be ready", standby::ready);
      assertThat(standby.get("/healthz").statusCode()).isEqualTo(200);
      assertThat(standby.numbers())
          .containsExactly(
              "belay_install_info{install=\"belay-system/belay\",selector=\"%s\"} 1"
                  .formatted(SELECTOR));
      assertThat(standby.get("/nothing").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void a_port_that_is_taken_is_named_with_the_cure() throws IOException, InterruptedException {
    String classpath = System.getProperty("java.class.path");
    Process process =
        Child.fork(
            new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    classpath,
                    "dev.belay.operator.Main",
                    "--kubeconfig",
                    sandbox.kubeconfigFor("belay-system", "belay-operator").toString(),
                    "--metrics-port",
                    String.valueOf(operator.port()))
                .redirectErrorStream(true));
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(said.lines().collect(Collectors.joining(" ")))
        .contains("--metrics-port " + operator.port())
        .contains("port 0 for none");
  }
}
