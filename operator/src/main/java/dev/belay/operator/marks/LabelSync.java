package dev.belay.operator.marks;

import dev.belay.core.guard.Mark;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.operator.PatchRequest;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.observe.Live;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the labels that the operator's selector names from a StatefulCluster to the metadata of
 * its workloads, by server-side apply. The label of the mark is among them.
 */
public final class LabelSync {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  /** Another program may write the same labels: two that undo each other must not do it at once. */
  private record BackOff(Instant until, Duration pause) {

    static BackOff after(Optional<BackOff> before, Instant now) {
      Duration doubled = before.map(b -> b.pause.multipliedBy(2)).orElse(FIRST_PAUSE);
      Duration pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
      return new BackOff(now.plus(pause), pause);
    }
  }

  private final KubernetesClient client;
  private final Self self;
  private final List<String> keys;
  private final Map<String, BackOff> tried = new ConcurrentHashMap<>();

  /**
   * @param keys of the operator's selector
   */
  public LabelSync(KubernetesClient client, Self self, List<String> keys) {
    this.client = client;
    this.self = self;
    this.keys = List.copyOf(keys);
  }

  /**
   * Not while a step is recorded: a write would move the state that the step is fenced on.
   *
   * @param memory as it was recorded last
   */
  public void keep(Sight sight, Memory memory) {
    var subject = sight.snapshot().subject();
    if (memory.step().isPresent() || subject.deleting()) {
      return;
    }
    Map<String, String> own =
        Objects.requireNonNullElse(sight.cluster().getMetadata().getLabels(), Map.of());
    sight.behind().values().stream()
        .flatMap(b -> b.workload().asOptional().stream())
        .filter(w -> w.mark().heldBy(self.account()))
        .filter(w -> w.mark().cluster().filter(subject.name()::equals).isPresent())
        .forEach(w -> keep(w, wanted(subject.name(), own), sight.snapshot().at()));
  }

  private Map<String, String> wanted(String cluster, Map<String, String> own) {
    var wanted = new TreeMap<String, String>();
    keys.forEach(k -> Optional.ofNullable(own.get(k)).ifPresent(v -> wanted.put(k, v)));
    wanted.put(Mark.LABEL, cluster);
    return wanted;
  }

  private void keep(Live workload, Map<String, String> wanted, Instant now) {
    String uid = workload.metadata().getUid();
    Map<String, String> live =
        Objects.requireNonNullElse(workload.metadata().getLabels(), Map.of());
    boolean same =
        AppliedLabels.of(workload.metadata()).equals(wanted.keySet())
            && live.entrySet().containsAll(wanted.entrySet());
    Optional<BackOff> last = Optional.ofNullable(tried.get(uid));
    if (last.filter(b -> b.until.isAfter(now)).isPresent()) {
      return;
    }
    if (same) {
      tried.remove(uid);
    } else {
      BackOff next = BackOff.after(last, now);
      tried.put(uid, next);
      apply(workload, wanted, next);
    }
  }

  private void apply(Live workload, Map<String, String> labels, BackOff next) {
    var meta = workload.metadata();
    try {
      PatchRequest.to(client, meta.getNamespace(), Fence.Kind.of(workload.kind()), meta.getName())
          .as(Mark.LABELS_MANAGER)
          .send(PatchType.SERVER_SIDE_APPLY, body(workload, labels));
    } catch (KubernetesClientException e) {
      LOG.warn(
          "{} {}/{}: the labels {} were not written, next try in {} s: {}. fix: let one program"
              + " set these labels",
          workload.kind(),
          meta.getNamespace(),
          meta.getName(),
          labels.keySet(),
          next.pause.toSeconds(),
          e.getMessage());
    }
  }

  /** The uid: a workload of the same name that was made meanwhile is another one. */
  private static String body(Live workload, Map<String, String> labels) {
    var meta = workload.metadata();
    return Serialization.asJson(
        Map.of(
            "apiVersion",
            "apps/v1",
            "kind",
            workload.kind().toString(),
            "metadata",
            Map.of(
                "name",
                meta.getName(),
                "namespace",
                meta.getNamespace(),
                "uid",
                meta.getUid(),
                "labels",
                labels)));
  }
}
