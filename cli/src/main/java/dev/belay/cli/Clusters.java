package dev.belay.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.belay.api.v1alpha1.Component;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.cli.Release.Naming;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The StatefulClusters on the server. Only this type, Workloads and Leftovers send requests. */
final class Clusters implements AutoCloseable {

  static final ResourceDefinitionContext KIND =
      new ResourceDefinitionContext.Builder()
          .withGroup(StatefulCluster.GROUP)
          .withVersion(StatefulCluster.VERSION)
          .withKind(StatefulCluster.KIND)
          .withPlural("statefulclusters")
          .withNamespaced(true)
          .build();

  private final KubernetesClient client;
  private final String namespace;
  private final Troubles troubles;

  Clusters(KubernetesClient client, String namespace, String server) {
    this.client = client;
    this.namespace = namespace;
    this.troubles = new Troubles(server);
  }

  String namespace() {
    return namespace;
  }

  /** Which of them: one by its name, or those with these labels, here or everywhere. */
  record Choice(String name, String selector, boolean everywhere) {}

  /** As the server sent them: fields that this belay does not know are still there. */
  List<GenericKubernetesResource> list(Choice choice) {
    return asked(() -> among(choice).list().getItems());
  }

  GenericKubernetesResource get(String name) {
    return asked(() -> Optional.ofNullable(all().inNamespace(namespace).withName(name).get()))
        .orElseThrow(() -> noSuch(name));
  }

  /** Whether the StatefulCluster of this name exists and names a workload. */
  Naming naming(String cluster, WorkloadRef workload) {
    if (cluster.isEmpty()) {
      return Naming.NOT_NAMED;
    }
    try {
      var found = Optional.ofNullable(all().inNamespace(namespace).withName(cluster).get());
      return found.map(this::read).filter(workload::isNamedBy).isPresent()
          ? Naming.NAMED
          : Naming.NOT_NAMED;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return Naming.UNREADABLE;
      }
      throw troubles.of(e);
    }
  }

  /** The workloads of the same namespace, through the same connection. */
  Workloads workloads() {
    return new Workloads(client, this, troubles);
  }

  /** The Lease of the operator that owns a cluster, through the same connection. */
  OwnerLease leaseOf(Cluster cluster) {
    return new OwnerLease(client, cluster);
  }

  /** What operators left in the same namespace, through the same connection. */
  Leftovers leftovers() {
    return new Leftovers(client, namespace, troubles);
  }

  /** What this belay understands of it. */
  Cluster read(GenericKubernetesResource raw) {
    try {
      return new Cluster(
          client.getKubernetesSerialization().convertValue(raw, StatefulCluster.class));
    } catch (IllegalArgumentException e) {
      throw new Trouble(
          "StatefulCluster %s holds what this belay does not understand: %s"
              .formatted(
                  raw.getMetadata().getName(),
                  Cluster.word(e.getMessage()).lines().findFirst().orElse("")),
          "use a newer belay; -o yaml shows the object as it is",
          e);
    }
  }

  /**
   * Writes these fields of the spec, as they are seen by everybody else; nothing when somebody else
   * wrote in between, since what was read may have been the reason for this write.
   */
  Optional<GenericKubernetesResource> write(
      GenericKubernetesResource basis, Map<String, Object> spec) {
    String patch =
        client
            .getKubernetesSerialization()
            .asJson(
                Map.of(
                    "metadata",
                    Map.of("resourceVersion", basis.getMetadata().getResourceVersion()),
                    "spec",
                    spec));
    var context =
        new PatchContext.Builder().withPatchType(PatchType.JSON_MERGE).withFieldManager("belay");
    try {
      return Optional.of(
          all()
              .inNamespace(namespace)
              .withName(basis.getMetadata().getName())
              .patch(context.build(), patch));
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return Optional.empty();
      }
      throw troubles.of(e);
    }
  }

  /** Puts a note on it, or takes it off where the value is null. */
  void annotate(String name, String key, @Nullable String value) {
    var note = new HashMap<String, @Nullable String>();
    note.put(key, value);
    String patch =
        client.getKubernetesSerialization().asJson(Map.of("metadata", Map.of("annotations", note)));
    var context =
        new PatchContext.Builder().withPatchType(PatchType.JSON_MERGE).withFieldManager("belay");
    asked(() -> all().inNamespace(namespace).withName(name).patch(context.build(), patch));
  }

  /** Every change from now on, those that exist first. */
  Changes watch(Choice choice) {
    return asked(() -> new Changes(among(choice).runnableInformer(0)));
  }

  /** The workload of a component, as its controller sees it. */
  Verdict.Workload workload(Component.Workload named) {
    Optional<Verdict.Workload> found =
        asked(() ->
            switch (named.kindOrDefault()) {
              case STATEFUL_SET ->
                  found(client.apps().statefulSets(), named).map(Verdict.Workload::of);
              case DEPLOYMENT ->
                  found(client.apps().deployments(), named).map(Verdict.Workload::of);
            });
    return found.orElseGet(() -> Verdict.Workload.missing(named));
  }

  private <T extends HasMetadata> Optional<T> found(
      MixedOperation<T, ?, ? extends Resource<T>> among, Component.Workload named) {
    return Optional.ofNullable(among.inNamespace(namespace).withName(named.name()).get());
  }

  /** The same for machines. */
  String document(Format format, Object document) {
    var serialization = client.getKubernetesSerialization();
    return switch (format) {
      case yaml -> serialization.asYaml(document);
      case json -> pretty(serialization.asJson(document));
    };
  }

  private static String pretty(String json) {
    try {
      return new ObjectMapper().readTree(json).toPrettyString();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("what was just written as JSON is none", e);
    }
  }

  @Override
  public void close() {
    client.close();
  }

  private MixedOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      all() {
    return client.genericKubernetesResources(KIND);
  }

  private FilterWatchListDeletable<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      among(Choice choice) {
    var chosen = choice.everywhere() ? all().inAnyNamespace() : all().inNamespace(namespace);
    if (!choice.name().isEmpty()) {
      return chosen.withField("metadata.name", choice.name());
    }
    return choice.selector().isEmpty() ? chosen : chosen.withLabelSelector(choice.selector());
  }

  /** Names what there is instead; somebody who may not list learns only that this one is not. */
  private Trouble noSuch(String name) {
    List<String> here = names(new Choice("", "", false));
    List<String> elsewhere =
        here(new Choice(name, "", true)).stream().map(r -> r.getMetadata().getNamespace()).toList();
    String cure =
        !elsewhere.isEmpty()
            ? "it is in another namespace: -n " + String.join(" or -n ", elsewhere)
            : here.isEmpty()
                ? "there are none in this namespace; belay status -A shows all"
                : "choose one of " + String.join(", ", here);
    return new Trouble("no StatefulCluster %s in namespace %s".formatted(name, namespace), cure);
  }

  private List<String> names(Choice choice) {
    return here(choice).stream().map(r -> r.getMetadata().getName()).sorted().toList();
  }

  private List<GenericKubernetesResource> here(Choice choice) {
    try {
      return among(choice).list().getItems();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return List.of();
      }
      throw troubles.of(e);
    }
  }

  private <T> T asked(Supplier<T> question) {
    try {
      return question.get();
    } catch (KubernetesClientException e) {
      throw troubles.of(e);
    }
  }
}
