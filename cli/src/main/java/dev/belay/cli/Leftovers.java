package dev.belay.cli;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.belay.api.v1alpha1.Component.Kind;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Obligation;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Owner;
import dev.belay.cli.ReleaseAll.LeaseRead;
import dev.belay.cli.ReleaseAll.OwnerWrite;
import dev.belay.cli.ReleaseAll.Remaining;
import dev.belay.core.guard.Mark;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What operators left in a namespace on the server. */
final class Leftovers implements ReleaseAll.Server {

  /** The answer to a JSON patch with a test that is not true. */
  private static final int UNPROCESSABLE = 422;

  private final KubernetesClient client;
  private final String namespace;
  private final Troubles troubles;

  Leftovers(KubernetesClient client, String namespace, Troubles troubles) {
    this.client = client;
    this.namespace = namespace;
    this.troubles = troubles;
  }

  @Override
  public List<Remaining> clusters() {
    try {
      return client
          .genericKubernetesResources(Clusters.KIND)
          .inNamespace(namespace)
          .list()
          .getItems()
          .stream()
          .map(this::remaining)
          .toList();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        // With the CRD all StatefulClusters are gone, and the marks are still there.
        return List.of();
      }
      throw troubles.of(e);
    }
  }

  @Override
  public Optional<Remaining> cluster(String name) {
    return asked(() -> Optional.ofNullable(resource(name).get())).map(this::remaining);
  }

  private Remaining remaining(GenericKubernetesResource raw) {
    var meta = raw.getMetadata();
    @Nullable Object read = raw.get("status");
    Status status =
        read == null
            ? Status.NONE
            : client.getKubernetesSerialization().convertValue(read, Status.class);
    return new Remaining(
        meta.getName(),
        meta.getUid(),
        Objects.requireNonNullElse(meta.getFinalizers(), List.<String>of()),
        Optional.ofNullable(status.owner()),
        status.cleanups());
  }

  /** The fields of a status that {@code --all} reads. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  record Status(@Nullable Owner owner, List<Obligation> obligations, List<Component> components) {

    static final Status NONE = new Status(null, List.of(), List.of());

    Status {
      obligations = Objects.requireNonNullElse(obligations, List.of());
      components = Objects.requireNonNullElse(components, List.of());
    }

    /** A component, with the pending cleanups of its driver. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Component(List<String> owes) {

      Component {
        owes = Objects.requireNonNullElse(owes, List.of());
      }
    }

    List<String> cleanups() {
      Stream<String> actions =
          obligations.stream().filter(o -> !Cluster.word(o.undo()).isEmpty()).map(Owed::whole);
      return Stream.concat(actions, components.stream().flatMap(c -> c.owes().stream())).toList();
    }
  }

  /** All are listed: labels may be left from a run that ended after the mark was removed. */
  @Override
  public List<WorkloadRef> workloads() {
    var found = new ArrayList<WorkloadRef>();
    for (Kind kind : Kind.values()) {
      var all =
          asked(() ->
              client
                  .genericKubernetesResources(Workloads.context(kind))
                  .inNamespace(namespace)
                  .list()
                  .getItems());
      for (GenericKubernetesResource raw : all) {
        var workload = new WorkloadRef(kind, raw.getMetadata().getName());
        boolean marked = !Workloads.marked(workload, raw).mark().equals(Mark.NONE);
        if (marked || labelled(raw.getMetadata())) {
          found.add(workload);
        }
      }
    }
    return found;
  }

  private static boolean labelled(ObjectMeta meta) {
    return Objects.requireNonNullElse(meta.getManagedFields(), List.<ManagedFieldsEntry>of())
        .stream()
        .anyMatch(m -> Mark.LABELS_MANAGER.equals(m.getManager()));
  }

  @Override
  public LeaseRead lease(String lease) {
    int slash = lease.indexOf('/');
    if (slash < 1 || slash == lease.length() - 1) {
      return new LeaseRead.Unreadable(
          "status.owner.lease '%s' is not NAMESPACE/NAME".formatted(lease),
          "look for an operator: kubectl get deployments -A -l app.kubernetes.io/name=belay");
    }
    try {
      return Optional.ofNullable(
              client
                  .leases()
                  .inNamespace(lease.substring(0, slash))
                  .withName(lease.substring(slash + 1))
                  .get())
          .map(l -> l.getMetadata())
          // A Lease that was deleted and made again is another one.
          .<LeaseRead>map(m -> new LeaseRead.Found(m.getUid() + " " + m.getResourceVersion()))
          .orElseGet(LeaseRead.Missing::new);
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return new LeaseRead.Unreadable(
            String.valueOf(troubles.of(e).getMessage()),
            "ask for the right to get the Lease " + lease);
      }
      throw troubles.of(e);
    }
  }

  @Override
  public List<String> removeLabels(WorkloadRef workload) {
    var resource =
        client
            .genericKubernetesResources(Workloads.context(workload.kind()))
            .inNamespace(namespace)
            .withName(workload.name());
    Optional<GenericKubernetesResource> before = asked(() -> Optional.ofNullable(resource.get()));
    if (before.filter(raw -> labelled(raw.getMetadata())).isEmpty()) {
      return List.of();
    }
    var removed = new TreeSet<>(labels(before.get().getMetadata()));
    try {
      Optional.ofNullable(resource.patch(asTheOperator(), noLabels(workload, before.get())))
          .ifPresent(now -> removed.removeAll(labels(now.getMetadata())));
      return List.copyOf(removed);
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        // Another workload has the name now.
        return List.of();
      }
      throw troubles.of(e);
    }
  }

  private static PatchContext asTheOperator() {
    return new PatchContext.Builder()
        .withPatchType(PatchType.SERVER_SIDE_APPLY)
        .withFieldManager(Mark.LABELS_MANAGER)
        .build();
  }

  /** What a manager no longer applies and no other manager has is removed by the API server. */
  private String noLabels(WorkloadRef workload, GenericKubernetesResource raw) {
    return client
        .getKubernetesSerialization()
        .asJson(
            Map.of(
                "apiVersion",
                "apps/v1",
                "kind",
                workload.kind().word(),
                "metadata",
                Map.of("name", workload.name(), "uid", raw.getMetadata().getUid())));
  }

  private static List<String> labels(ObjectMeta meta) {
    return List.copyOf(
        Objects.requireNonNullElse(meta.getLabels(), Map.<String, String>of()).keySet());
  }

  @Override
  public Optional<String> removeFinalizer(Remaining basis) {
    List<String> others =
        basis.finalizers().stream().filter(f -> !f.equals(StatefulCluster.FINALIZER)).toList();
    var patch =
        List.of(
            operation("test", "/metadata/uid", basis.uid()),
            operation("test", "/metadata/finalizers", basis.finalizers()),
            operation("replace", "/metadata/finalizers", others));
    try {
      var _ =
          resource(basis.name())
              .patch(jsonPatch(), client.getKubernetesSerialization().asJson(patch));
      return Optional.empty();
    } catch (KubernetesClientException e) {
      if (e.getCode() == UNPROCESSABLE || e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return Optional.of(String.valueOf(troubles.of(e).getMessage()));
      }
      throw troubles.of(e);
    }
  }

  @Override
  public OwnerWrite releaseOwner(Remaining basis) {
    var patch =
        List.of(
            operation("test", "/metadata/uid", basis.uid()),
            operation("test", "/status/owner/epoch", basis.epoch().orElse(0L)),
            operation("add", "/status/owner/released", true));
    try {
      var _ =
          resource(basis.name())
              .subresource("status")
              .patch(jsonPatch(), client.getKubernetesSerialization().asJson(patch));
      return new OwnerWrite.Stored();
    } catch (KubernetesClientException e) {
      return switch (e.getCode()) {
        case HttpURLConnection.HTTP_FORBIDDEN -> new OwnerWrite.Forbidden(troubles.of(e));
        case UNPROCESSABLE, HttpURLConnection.HTTP_CONFLICT, HttpURLConnection.HTTP_NOT_FOUND ->
            new OwnerWrite.Conflict(String.valueOf(troubles.of(e).getMessage()));
        default -> throw troubles.of(e);
      };
    }
  }

  private static PatchContext jsonPatch() {
    return new PatchContext.Builder()
        .withPatchType(PatchType.JSON)
        .withFieldManager("belay")
        .build();
  }

  private static Map<String, Object> operation(String op, String path, Object value) {
    return Map.of("op", op, "path", path, "value", value);
  }

  private Resource<GenericKubernetesResource> resource(String name) {
    return client.genericKubernetesResources(Clusters.KIND).inNamespace(namespace).withName(name);
  }

  private <T> T asked(Supplier<T> question) {
    try {
      return question.get();
    } catch (KubernetesClientException e) {
      throw troubles.of(e);
    }
  }
}
