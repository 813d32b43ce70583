package dev.belay.operator.record;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.core.report.Phase;
import dev.belay.operator.PatchRequest;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Says in the status of a StatefulCluster that it cannot be read. Everything else in it stays as it
 * is: what was written down before is needed again once it can.
 */
public final class Unreadable {

  private final KubernetesClient client;
  private final String install;
  private final Clock clock;

  public Unreadable(KubernetesClient client, String install, Clock clock) {
    this.client = client;
    this.install = install;
    this.clock = clock;
  }

  public void tell(String namespace, String name, String why) {
    @Nullable StatefulCluster cluster =
        client.resources(StatefulCluster.class).inNamespace(namespace).withName(name).get();
    Optional.ofNullable(cluster)
        .flatMap(c -> patch(c, install, why, clock.instant()))
        .ifPresent(patch ->
            PatchRequest.toStatus(client, namespace, name)
                .send(PatchType.JSON_MERGE, Serialization.asJson(patch)));
  }

  /** Empty when it is said already, or when another operator speaks for the cluster. */
  static Optional<Map<String, Object>> patch(
      StatefulCluster cluster, String install, String why, Instant now) {
    Optional<StatefulClusterStatus> before = Optional.ofNullable(cluster.getStatus());
    boolean elsewhere =
        before
            .map(StatefulClusterStatus::owner)
            .filter(owner -> !Boolean.TRUE.equals(owner.released()))
            .map(StatefulClusterStatus.Owner::install)
            .filter(owner -> !owner.equals(install))
            .isPresent();
    long generation = Objects.requireNonNullElse(cluster.getMetadata().getGeneration(), 0L);
    List<Condition> known = before.map(StatefulClusterStatus::conditions).orElse(List.of());
    List<Condition> conditions =
        conditions(known, generation, why, now.truncatedTo(ChronoUnit.SECONDS).toString());
    if (elsewhere || conditions.equals(known)) {
      return Optional.empty();
    }
    return Optional.of(
        Map.of(
            "metadata",
            Map.of("resourceVersion", cluster.getMetadata().getResourceVersion()),
            "status",
            Map.of(
                "observedGeneration",
                generation,
                "phase",
                Phase.FAILED.toString(),
                "conditions",
                conditions)));
  }

  private static List<Condition> conditions(
      List<Condition> known, long generation, String why, String moment) {
    var all = new LinkedHashMap<String, Condition>();
    known.forEach(c -> all.put(c.getType(), c));
    Stream.of(
            new ConditionBuilder().withType("Error").withStatus("True").withMessage(why),
            new ConditionBuilder().withType("Reconciling").withStatus("False").withMessage(""),
            new ConditionBuilder().withType("Stalled").withStatus("True").withMessage(why))
        .map(c ->
            c.withReason("InvalidSpec")
                .withObservedGeneration(generation)
                .withLastTransitionTime(moment)
                .build())
        .forEach(c -> all.merge(c.getType(), c, Unreadable::keepingItsTime));
    return List.copyOf(all.values());
  }

  private static Condition keepingItsTime(Condition before, Condition now) {
    return before.getStatus().equals(now.getStatus())
        ? new ConditionBuilder(now).withLastTransitionTime(before.getLastTransitionTime()).build()
        : now;
  }
}
