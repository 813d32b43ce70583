package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.ComponentStatus;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Workload;
import dev.belay.operator.PatchRequest;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Asks the API server, by a dry run, what would become of a template change: frozen means that the
 * policies hold. The answer is kept for a while, since a policy rarely goes away.
 */
public final class GuardProbe {

  private static final String SET_ROLLS =
      "\"updateStrategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"partition\":0}}";

  private static final String DEPLOYMENT_ROLLS = "\"paused\":false";

  private static final Duration KEPT = Duration.ofSeconds(15);

  /**
   * How long nothing must have frozen a change before that is believed. An API server takes a
   * second or two to act on new policies; a set must not be parked, and un-parked, because of it.
   */
  private static final Duration CONFIRMED = Duration.ofSeconds(4);

  /** The last answer that was believed, and since when another one contradicts it. */
  private record Belief(Optional<Guarding> guarding, Instant at, Optional<Instant> doubtedSince) {

    boolean freshAt(Instant now) {
      return guarding.isPresent() && doubtedSince.isEmpty() && at.plus(KEPT).isAfter(now);
    }
  }

  private final KubernetesClient client;
  private final Map<String, Belief> beliefs = new ConcurrentHashMap<>();

  public GuardProbe(KubernetesClient client) {
    this.client = client;
  }

  /**
   * What guards the workload. What the status says counts as believed: a new process does not doubt
   * anew. Unknown when nothing is believed yet. Nobody is asked about a set whose own strategy lets
   * nothing happen by itself.
   */
  Fact<Guarding> probe(StatefulCluster cluster, String component, Live workload, Instant now) {
    if (workload instanceof Live.Set set && set.onDelete()) {
      return Fact.known(Guarding.ON_DELETE);
    }
    String key = cluster.getMetadata().getUid() + "/" + workload.metadata().getUid();
    Belief before =
        beliefs.computeIfAbsent(
            key, _ -> new Belief(recorded(cluster, component), Instant.EPOCH, Optional.empty()));
    Belief after = before.freshAt(now) ? before : weigh(before, ask(workload, now), now);
    beliefs.put(key, after);
    return after
        .guarding()
        .<Fact<Guarding>>map(Fact::known)
        .orElseGet(() ->
            Fact.unknown(
                "no policy froze a trial change; asking again, as policies take a moment"));
  }

  /** Frozen is proof; not frozen is believed when it was so for a while. */
  private static Belief weigh(Belief before, Guarding answer, Instant now) {
    boolean believed =
        answer == Guarding.POLICY
            || before.guarding().filter(answer::equals).isPresent()
            || before.doubtedSince().filter(d -> !d.plus(CONFIRMED).isAfter(now)).isPresent();
    return believed
        ? new Belief(Optional.of(answer), now, Optional.empty())
        : new Belief(
            before.guarding(), before.at(), before.doubtedSince().or(() -> Optional.of(now)));
  }

  /** Lets go of a StatefulCluster that is gone. */
  public void forget(String uid) {
    beliefs.keySet().removeIf(key -> key.startsWith(uid + "/"));
  }

  private Guarding ask(Live workload, Instant now) {
    var meta = workload.metadata();
    var request =
        PatchRequest.to(client, meta.getNamespace(), workload.kind().toString(), meta.getName())
            .dryRun();
    boolean frozen =
        switch (workload) {
          case Live.Set _ -> {
            String answer = request.send(PatchType.JSON_MERGE, change(now, SET_ROLLS));
            yield Workloads.partition(Serialization.unmarshal(answer, StatefulSet.class))
                == Workload.FROZEN;
          }
          case Live.Deployed _ -> {
            String answer = request.send(PatchType.JSON_MERGE, change(now, DEPLOYMENT_ROLLS));
            yield new Live.Deployed(Serialization.unmarshal(answer, Deployment.class)).paused();
          }
        };
    return frozen ? Guarding.POLICY : Guarding.PARKED;
  }

  private static Optional<Guarding> recorded(StatefulCluster cluster, String component) {
    return Stream.ofNullable(cluster.getStatus())
        .flatMap(s -> s.components().stream())
        .filter(c -> c.name().equals(component))
        .map(ComponentStatus::guard)
        .flatMap(g ->
            "Policy".equals(g)
                ? Stream.of(Guarding.POLICY)
                : "Parked".equals(g) ? Stream.of(Guarding.PARKED) : Stream.empty())
        .findFirst();
  }

  /** A new template, and everything let through in the same write. */
  private static String change(Instant now, String rolls) {
    return """
    {"spec":{"template":{"metadata":{"annotations":{"belay.dev/guard-probe":"%s"}}},%s}}\
    """
        .formatted(now, rolls);
  }
}
