package dev.belay.cli;

import dev.belay.api.v1alpha1.Component.Kind;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.cli.Release.Marked;
import dev.belay.cli.Release.Naming;
import dev.belay.cli.Release.Written;
import dev.belay.core.guard.Mark;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The workloads of a namespace on the server, and their marks. */
final class Workloads implements Release.Server {

  /** To a field manager of kubectl the guard answers with an error instead of the stored mark. */
  private static final String FIELD_MANAGER = "belay-cli";

  private final KubernetesClient client;
  private final Clusters clusters;
  private final Troubles troubles;

  Workloads(KubernetesClient client, Clusters clusters, Troubles troubles) {
    this.client = client;
    this.clusters = clusters;
    this.troubles = troubles;
  }

  @Override
  public Marked get(WorkloadRef workload) {
    return asked(() -> Optional.ofNullable(resource(workload).get()))
        .map(raw -> marked(workload, raw))
        .orElseThrow(() ->
            new Trouble(
                "no %s %s in namespace %s"
                    .formatted(workload.kind().word(), workload.name(), clusters.namespace()),
                "kubectl get statefulsets,deployments -n %s -l %s lists the guarded workloads"
                    .formatted(clusters.namespace(), Mark.LABEL)));
  }

  @Override
  public Written write(Marked basis, Mark mark) {
    Map<String, Object> metadata =
        Map.of(
            "uid",
            basis.uid(),
            "resourceVersion",
            basis.resourceVersion(),
            "labels",
            entry(Mark.LABEL, mark.cluster()),
            "annotations",
            entry(Mark.ANNOTATION, mark.owner()));
    String patch = client.getKubernetesSerialization().asJson(Map.of("metadata", metadata));
    var context =
        new PatchContext.Builder()
            .withPatchType(PatchType.JSON_MERGE)
            .withFieldManager(FIELD_MANAGER);
    try {
      // The client answers null for an object that is gone.
      return Optional.ofNullable(resource(basis.ref()).patch(context.build(), patch))
          .<Written>map(now -> new Written.Stored(marked(basis.ref(), now)))
          .orElseGet(Written.Conflict::new);
    } catch (KubernetesClientException e) {
      return switch (e.getCode()) {
        case HttpURLConnection.HTTP_CONFLICT, HttpURLConnection.HTTP_NOT_FOUND ->
            new Written.Conflict();
        case HttpURLConnection.HTTP_FORBIDDEN -> new Written.Forbidden(troubles.of(e));
        default -> throw troubles.of(e);
      };
    }
  }

  @Override
  public Naming naming(String cluster, WorkloadRef workload) {
    return clusters.naming(cluster, workload);
  }

  @Override
  public String account() {
    return asked(() ->
        client
            .authentication()
            .v1()
            .selfSubjectReviews()
            .create(new SelfSubjectReview())
            .getStatus()
            .getUserInfo()
            .getUsername());
  }

  @Override
  public boolean mayOwn(String cluster) {
    var question =
        new SelfSubjectAccessReviewBuilder()
            .withNewSpec()
            .withNewResourceAttributes()
            .withGroup(StatefulCluster.GROUP)
            .withResource("statefulclusters")
            .withVerb("own")
            .withNamespace(clusters.namespace())
            .withName(cluster)
            .endResourceAttributes()
            .endSpec()
            .build();
    return asked(() ->
        client
            .authorization()
            .v1()
            .selfSubjectAccessReview()
            .create(question)
            .getStatus()
            .getAllowed());
  }

  private Resource<GenericKubernetesResource> resource(WorkloadRef workload) {
    return client
        .genericKubernetesResources(context(workload.kind()))
        .inNamespace(clusters.namespace())
        .withName(workload.name());
  }

  static ResourceDefinitionContext context(Kind kind) {
    return new ResourceDefinitionContext.Builder()
        .withGroup("apps")
        .withVersion("v1")
        .withKind(kind.word())
        .withPlural(
            switch (kind) {
              case STATEFUL_SET -> "statefulsets";
              case DEPLOYMENT -> "deployments";
            })
        .withNamespaced(true)
        .build();
  }

  static Marked marked(WorkloadRef workload, GenericKubernetesResource raw) {
    var metadata = raw.getMetadata();
    @Nullable Integer partition = raw.get("spec", "updateStrategy", "rollingUpdate", "partition");
    @Nullable Boolean paused = raw.get("spec", "paused");
    return new Marked(
        workload,
        metadata.getUid(),
        metadata.getResourceVersion(),
        new Mark(
            value(metadata.getLabels(), Mark.LABEL),
            value(metadata.getAnnotations(), Mark.ANNOTATION)),
        Objects.requireNonNullElse(partition, 0),
        Objects.requireNonNullElse(paused, false));
  }

  private static Optional<String> value(@Nullable Map<String, String> among, String key) {
    return Optional.ofNullable(among).flatMap(m -> Optional.ofNullable(m.get(key)));
  }

  private static Map<String, @Nullable String> entry(String key, Optional<String> value) {
    var entry = new HashMap<String, @Nullable String>();
    entry.put(key, value.orElse(null));
    return entry;
  }

  private <T> T asked(Supplier<T> question) {
    try {
      return question.get();
    } catch (KubernetesClientException e) {
      throw troubles.of(e);
    }
  }
}
