package dev.belay.sim.world;

import dev.belay.core.model.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The Deployment controller and its ReplicaSets, for {@code maxSurge: 0}, {@code maxUnavailable: 1}
 * and {@code podReplacementPolicy: TerminationComplete}. Facts: while it is paused (here: its
 * partition is frozen) no pod gets a new template, and whoever goes away comes back at what its
 * ReplicaSet stands for; when it rolls, old pods that are not available go first, and an available
 * one only while enough others are; the next new one comes when there is room for it.
 */
public final class DeploymentController {

  private final Timeline time;
  private final Weather weather;
  private final Store api;
  private final Trace trace;
  private final Rng rng;
  private final Consumer<PodObject> onReplace;
  private final Map<String, Template> revisions = new TreeMap<>();
  private final Map<String, Integer> sizes = new TreeMap<>();
  private boolean queued;

  DeploymentController(
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
    Template first = api.set().spec().template();
    revisions.put(first.revision(), first);
    sizes.put(first.revision(), api.set().spec().replicas());
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
    SetObject set = api.set();
    if (set.spec().partition() == Workload.FROZEN) {
      resize(set.spec().replicas());
    } else {
      String newest = set.spec().template().revision();
      revisions.put(newest, set.spec().template());
      roll(newest, set.spec().replicas(), set.spec().minReady());
    }
    api.writeSetStatus(status(set));
    List.copyOf(sizes.keySet()).forEach(revision -> fill(revision, set.spec().replicas()));
    if (!set.spec().minReady().isZero()) {
      time.after(set.spec().minReady().plusSeconds(1), () -> enqueue(rng.millis(2, 40)));
    }
  }

  /** Sizes the ReplicaSets: the old ones as far as enough pods stay, the new one where room is. */
  private void roll(String newest, int wanted, Duration minReady) {
    sizes.putIfAbsent(newest, 0);
    int room = wanted - sizes.values().stream().mapToInt(n -> n).sum();
    if (room > 0 && sizes.getOrDefault(newest, 0) < wanted) {
      sizes.merge(newest, room, Integer::sum);
      return;
    }
    Instant now = time.now();
    long available = active().filter(p -> p.available(minReady, now)).count();
    for (String old : List.copyOf(sizes.keySet())) {
      if (old.equals(newest)) {
        continue;
      }
      long serving =
          active().filter(p -> p.revision().equals(old) && p.available(minReady, now)).count();
      int size = sizes.getOrDefault(old, 0);
      long down = size - serving;
      int others = (int) (available - serving);
      // Enough without one of these: those that are not available, or else one that is.
      long goes = down > 0 ? down : Math.min(1, others + serving - (wanted - 1));
      if (goes > 0 && size > 0) {
        sizes.put(old, (int) Math.max(0, size - goes));
        return;
      }
    }
  }

  /** Paused in the middle of a roll-out, it still sees to it that there are as many as wanted. */
  private void resize(int wanted) {
    int missing = wanted - sizes.values().stream().mapToInt(n -> n).sum();
    sizes.keySet().stream()
        .max(Comparator.comparingInt(r -> sizes.getOrDefault(r, 0)))
        .filter(_ -> missing > 0)
        .ifPresent(largest -> sizes.merge(largest, missing, Integer::sum));
  }

  private Stream<PodObject> active() {
    return api.pods().stream().filter(p -> !p.terminating());
  }

  /** One ReplicaSet: makes the pods it lacks and deletes those it has too many of. */
  private void fill(String revision, int slots) {
    List<PodObject> mine = active().filter(p -> p.revision().equals(revision)).toList();
    int size = sizes.getOrDefault(revision, 0);
    mine.stream()
        .sorted(
            Comparator.comparing(PodObject::ready)
                .thenComparing(Comparator.comparingInt(PodObject::ordinal).reversed()))
        .limit(Math.max(0, mine.size() - size))
        .forEach(this::delete);
    for (int i = mine.size(); i < size; i++) {
      Optional<Integer> slot = free(slots);
      Template template = revisions.get(revision);
      if (slot.isPresent() && template != null) {
        trace.say("controller", "creates a pod of " + api.set().name() + " at " + revision);
        api.createPod(slot.get(), revision, template);
      }
    }
  }

  private Optional<Integer> free(int slots) {
    for (int slot = 0; slot < slots; slot++) {
      if (api.podAt(slot).isEmpty()) {
        return Optional.of(slot);
      }
    }
    return Optional.empty();
  }

  private void delete(PodObject pod) {
    trace.say("controller", "deletes " + pod.name() + " to update it");
    onReplace.accept(pod);
    api.writePod(pod.uid(), Optional.empty(), PodObject.State::terminate);
  }

  private SetObject.Status status(SetObject set) {
    String newest = set.spec().template().revision();
    List<PodObject> pods = api.pods();
    int ready = (int) pods.stream().filter(PodObject::ready).count();
    int updated = (int) active().filter(p -> p.revision().equals(newest)).count();
    return new SetObject.Status(
        set.generation(), other(pods, newest), newest, pods.size(), ready, updated);
  }

  /** What a Deployment is said to come from: whatever else runs there. */
  public static String other(List<PodObject> pods, String newest) {
    return pods.stream()
        .map(PodObject::revision)
        .filter(r -> !r.equals(newest))
        .findFirst()
        .orElse(newest);
  }
}
