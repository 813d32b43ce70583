package dev.belay.operator.observe;

import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.core.snapshot.Workload;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asks the API server, by a dry run, what would become of a template change: frozen means that the
 * policies hold. The answer is kept for a while, since a policy rarely goes away.
 */
public final class GuardProbe {

  private static final Duration KEPT = Duration.ofSeconds(15);

  private record Answer(Guarding guarding, Instant at) {}

  private final KubernetesClient client;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();

  public GuardProbe(KubernetesClient client) {
    this.client = client;
  }

  Guarding probe(StatefulSet set, Instant now) {
    String key = set.getMetadata().getUid();
    Answer known = answers.get(key);
    if (known != null && known.at().plus(KEPT).isAfter(now)) {
      return known.guarding();
    }
    StatefulSet answer =
        client
            .apps()
            .statefulSets()
            .inNamespace(set.getMetadata().getNamespace())
            .withName(set.getMetadata().getName())
            .patch(
                new PatchContext.Builder()
                    .withPatchType(PatchType.JSON_MERGE)
                    .withDryRun(List.of("All"))
                    .build(),
                change(now));
    Guarding guarding =
        Workloads.partition(answer) == Workload.FROZEN ? Guarding.POLICY : Guarding.PARKED;
    answers.put(key, new Answer(guarding, now));
    return guarding;
  }

  private static String change(Instant now) {
    return """
    {"spec":{"template":{"metadata":{"annotations":{"belay.dev/guard-probe":"%s"}}},\
    "updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0}}}}\
    """
        .formatted(now);
  }
}
