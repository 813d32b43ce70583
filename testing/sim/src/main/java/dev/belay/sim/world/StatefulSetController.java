package dev.belay.sim.world;

import dev.belay.core.model.Among;
import dev.belay.core.model.Workload.Order;
import dev.belay.core.model.Workload.Update;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The StatefulSet controller of Kubernetes 1.36 (pkg/controller/statefulset,
 * stateful_set_control.go), with maxUnavailable off as it is there by default. Facts: it works on
 * what it saw at the start of a sync; a missing pod whose index is below the partition is made at
 * currentRevision, any other at updateRevision; OrderedReady goes no further than the first pod
 * that is not available, Parallel does not wait; scaling comes before updating; the highest
 * outdated pod at or above the partition is deleted, and below an unavailable one nothing is;
 * currentRevision becomes updateRevision when all pods are updated and ready, whatever the
 * partition.
 */
public final class StatefulSetController {

  /** What one sync does. */
  public record Sync(
      SetObject.Status status,
      List<Integer> creates,
      List<PodObject> condemned,
      Optional<PodObject> replaced) {}

  private final Timeline time;
  private final Weather weather;
  private final Store api;
  private final Trace trace;
  private final Rng rng;
  private final Consumer<PodObject> onReplace;
  private final Map<String, Template> revisions = new TreeMap<>();
  private boolean queued;

  public StatefulSetController(
      Timeline time,
      Weather weather,
      Store api,
      Trace trace,
      Rng rng,
      Consumer<PodObject> onReplace) {
    this.time = time;
    this.weather = weather;
    this.api = api;
    this.trace = trace;
    this.rng = rng;
    this.onReplace = onReplace;
    api.watch(kind -> {
      if (kind == ApiServer.Kind.SET || kind == ApiServer.Kind.POD) {
        enqueue(rng.millis(2, 40));
      }
    });
  }

  private void enqueue(Duration delay) {
    if (!queued) {
      queued = true;
      time.after(delay, this::run);
    }
  }

  private void run() {
    queued = false;
    if (weather.holds(Fault.CONTROLLER_DOWN) || !api.up()) {
      enqueue(Duration.ofMillis(500));
      return;
    }
    if (!api.exists()) {
      return;
    }
    SetObject set = api.set();
    revisions.put(set.spec().template().revision(), set.spec().template());
    Sync sync = sync(set, api.pods(), time.now());
    api.writeSetStatus(sync.status());
    for (int ordinal : sync.creates()) {
      Template template = revisions.get(revisionFor(set, sync.status(), ordinal));
      if (template != null) {
        trace.say("controller", "creates " + set.podName(ordinal) + " at " + template.revision());
        api.createPod(ordinal, template.revision(), template);
      }
    }
    for (PodObject pod : sync.condemned()) {
      trace.say("controller", "scales down " + pod.name());
      api.writePod(pod.uid(), Optional.empty(), PodObject.State::terminate);
    }
    sync.replaced().ifPresent(this::replace);
    boolean waitsForAvailable = Among.any(api.pods(), PodObject::ready);
    if (!set.spec().minReady().isZero() && waitsForAvailable) {
      time.after(set.spec().minReady().plusSeconds(1), () -> enqueue(rng.millis(2, 40)));
    }
  }

  private void replace(PodObject pod) {
    trace.say("controller", "deletes " + pod.name() + " to update it");
    onReplace.accept(pod);
    api.writePod(pod.uid(), Optional.empty(), PodObject.State::terminate);
  }

  static String revisionFor(SetObject set, SetObject.Status status, int ordinal) {
    boolean below = ordinal - set.spec().firstOrdinal() < set.spec().partition();
    return set.spec().update() == Update.ROLLING_UPDATE && below
        ? status.currentRevision()
        : status.updateRevision();
  }

  /** One sync, as a function of what is there. */
  public static Sync sync(SetObject set, List<PodObject> pods, Instant now) {
    SetObject.Status status = status(set, pods);
    boolean ordered = set.spec().order() == Order.ORDERED_READY;
    Duration minReady = set.spec().minReady();
    var creates = new ArrayList<Integer>();
    for (int i = 0; i < set.spec().replicas(); i++) {
      int ordinal = set.spec().firstOrdinal() + i;
      Optional<PodObject> pod = at(pods, ordinal);
      if (pod.isEmpty()) {
        creates.add(ordinal);
      }
      boolean stops =
          pod.isEmpty() || pod.get().terminating() || !pod.get().available(minReady, now);
      if (ordered && stops) {
        return new Sync(status, creates, List.of(), Optional.empty());
      }
    }
    List<PodObject> condemned = condemned(set, pods, now, ordered);
    boolean scaling = ordered && Among.any(pods, p -> !set.inRange(p.ordinal()));
    Optional<PodObject> replaced =
        scaling || !creates.isEmpty() || set.spec().update() == Update.ON_DELETE
            ? Optional.empty()
            : outdated(set, pods, status, now);
    return new Sync(status, creates, condemned, replaced);
  }

  private static List<PodObject> condemned(
      SetObject set, List<PodObject> pods, Instant now, boolean ordered) {
    List<PodObject> outside = Among.those(pods.reversed(), p -> !set.inRange(p.ordinal()));
    if (!ordered) {
      return Among.those(outside, p -> !p.terminating());
    }
    // All replicas are available here, so the first unavailable pod is the lowest condemned one.
    Optional<PodObject> firstUnavailable =
        Among.first(
            outside.reversed(), p -> p.terminating() || !p.available(set.spec().minReady(), now));
    return outside.stream()
        .limit(1)
        .filter(p -> !p.terminating())
        .filter(p ->
            p.available(set.spec().minReady(), now)
                || firstUnavailable.filter(f -> f.uid().equals(p.uid())).isPresent())
        .toList();
  }

  private static Optional<PodObject> outdated(
      SetObject set, List<PodObject> pods, SetObject.Status status, Instant now) {
    for (int i = set.spec().replicas() - 1; i >= set.spec().partition(); i--) {
      Optional<PodObject> pod = at(pods, set.spec().firstOrdinal() + i);
      if (pod.isEmpty()) {
        return Optional.empty();
      }
      boolean old = !pod.get().revision().equals(status.updateRevision());
      if (old && !pod.get().terminating()) {
        return pod;
      }
      if (pod.get().terminating() || !pod.get().available(set.spec().minReady(), now)) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  private static SetObject.Status status(SetObject set, List<PodObject> pods) {
    String update = set.spec().template().revision();
    // After an orphaned re-create the status is empty and the newest revision counts as current.
    String current =
        set.status().currentRevision().isEmpty() ? update : set.status().currentRevision();
    int ready = 0;
    int updated = 0;
    for (PodObject pod : pods) {
      ready += pod.ready() ? 1 : 0;
      updated += !pod.terminating() && pod.revision().equals(update) ? 1 : 0;
    }
    int wanted = set.spec().replicas();
    boolean complete =
        set.spec().update() == Update.ROLLING_UPDATE
            && updated == wanted
            && ready == wanted
            && pods.size() == wanted;
    return new SetObject.Status(
        set.generation(), complete ? update : current, update, pods.size(), ready, updated);
  }

  private static Optional<PodObject> at(List<PodObject> pods, int ordinal) {
    for (PodObject pod : pods) {
      if (pod.ordinal() == ordinal) {
        return Optional.of(pod);
      }
    }
    return Optional.empty();
  }
}
