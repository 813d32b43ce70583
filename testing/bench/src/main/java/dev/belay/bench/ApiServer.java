package dev.belay.bench;

import dev.belay.bench.GuardCell.Write;
import dev.belay.core.model.Workload;
import dev.belay.demo.Repository;
import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One API server with StatefulClusters and StatefulSets, to which single writes are sent. */
final class ApiServer {

  private static final String JSON = "application/json";
  private static final String MERGE_PATCH = "application/merge-patch+json";
  private static final String DRY_RUN = "?dryRun=All";
  private static final int CREATORS = 8;

  private final KubernetesClient client;
  private final AuditLog auditLog;
  private final Map<GuardCell, Stored> sets = new HashMap<>();

  ApiServer(ControlPlane plane) {
    this.client = plane.client();
    this.auditLog = new AuditLog(plane.auditLog());
  }

  private record Answer(int code, String body) {

    boolean ok() {
      return code >= 200 && code < 300;
    }
  }

  /** A set as the API server returned it after the last write. */
  private record Stored(String json, String version) {}

  void apply(Repository repository, String file) throws IOException {
    try (InputStream in = Files.newInputStream(repository.file("deploy/" + file + ".yaml"))) {
      client.load(in).serverSideApply();
    }
  }

  boolean servesClusters() {
    return send("GET", clustersOf("default"), JSON, null).ok();
  }

  /** Creates a namespace with this many StatefulClusters. */
  void createClusters(int count) {
    String namespace = GuardCell.namespace(count);
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    try (ExecutorService threads = Executors.newFixedThreadPool(CREATORS)) {
      List<CompletableFuture<Void>> all =
          IntStream.range(0, count)
              .mapToObj(i -> CompletableFuture.runAsync(() -> createCluster(namespace, i), threads))
              .toList();
      all.forEach(CompletableFuture::join);
    }
  }

  private void createCluster(String namespace, int number) {
    Answer answer = send("POST", clustersOf(namespace), JSON, GuardSets.cluster(number));
    if (!answer.ok()) {
      throw new IllegalStateException("a StatefulCluster was refused: " + answer);
    }
  }

  void createSet(GuardCell cell) {
    String json = client.getKubernetesSerialization().asJson(GuardSets.set(cell));
    sets.put(cell, check(GuardSets.created(cell), send("POST", setsOf(cell), JSON, json)));
  }

  /** Whether a new template would be stored frozen: the mutating policies are in effect. */
  boolean freezes(GuardCell labelled) {
    String path = setsOf(labelled) + "/" + labelled.set() + DRY_RUN;
    Answer answer = send("PATCH", path, MERGE_PATCH, GuardSets.patch(Write.RELEASED, 0));
    return answer.ok() && partition(parse(answer.body())) == Workload.FROZEN;
  }

  /** Whether a labelled set could not become OnDelete: the validating policies are in effect. */
  boolean refusesOnDelete(GuardCell labelled) {
    String path = setsOf(labelled) + "/" + labelled.set() + DRY_RUN;
    return !send("PATCH", path, MERGE_PATCH, GuardSets.ON_DELETE).ok();
  }

  /** Sends one write and checks what was stored. */
  void write(GuardCell cell, int number) {
    Stored before = stored(cell);
    String path = setsOf(cell) + "/" + cell.set();
    Answer answer =
        cell.write() == Write.UNCHANGED
            ? send("PUT", path, JSON, before.json())
            : send("PATCH", path, MERGE_PATCH, GuardSets.patch(cell.write(), number));
    Stored after = check(GuardSets.written(cell), answer);
    boolean changed = !after.version().equals(before.version());
    if (changed == (cell.write() == Write.UNCHANGED)) {
      throw new IllegalStateException(
          "a write to %s %s".formatted(cell.set(), changed ? "changed it" : "changed nothing"));
    }
    sets.put(cell, after);
  }

  /** The times of all writes to each set, in their order. */
  Map<String, List<Duration>> times() throws IOException {
    return auditLog.setWrites();
  }

  private Stored stored(GuardCell cell) {
    Stored set = sets.get(cell);
    if (set == null) {
      throw new IllegalStateException(cell.set() + " was not created");
    }
    return set;
  }

  /** A write that the policies do not see would be measured in vain. */
  private Stored check(int partition, Answer answer) {
    if (!answer.ok()) {
      throw new IllegalStateException("a StatefulSet was refused: " + answer);
    }
    StatefulSet set = parse(answer.body());
    if (partition(set) != partition) {
      throw new IllegalStateException(
          "%s was stored with partition %d instead of %d; fix: repair deploy/shared/guard.yaml"
              .formatted(set.getMetadata().getName(), partition(set), partition));
    }
    return new Stored(answer.body(), set.getMetadata().getResourceVersion());
  }

  private static int partition(StatefulSet set) {
    return set.getSpec().getUpdateStrategy().getRollingUpdate().getPartition();
  }

  private StatefulSet parse(String json) {
    return client.getKubernetesSerialization().unmarshal(json, StatefulSet.class);
  }

  private static String setsOf(GuardCell cell) {
    return "/apis/apps/v1/namespaces/%s/statefulsets".formatted(cell.namespace());
  }

  private static String clustersOf(String namespace) {
    return "/apis/belay.dev/v1alpha1/namespaces/%s/statefulclusters".formatted(namespace);
  }

  private Answer send(String method, String path, String type, @Nullable String body) {
    HttpRequest request =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(client.getMasterUrl().toString().replaceFirst("/$", "") + path)
            .method(method, type, body)
            .build();
    HttpResponse<String> response = client.getHttpClient().sendAsync(request, String.class).join();
    return new Answer(response.code(), response.body());
  }
}
