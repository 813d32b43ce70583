package dev.belay.sim.world;

import dev.belay.core.model.Pod.Trouble;
import dev.belay.core.model.Workload.Order;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Scheduler and kubelets. Facts: a volume binds a pod to its node, so a pod of a lost or cordoned
 * node stays Pending; a pod that cannot pull says ErrImagePull, then ImagePullBackOff; a container
 * that exits is restarted with growing pauses, CrashLoopBackOff from the second time; readiness is
 * probed once a second and lost after two failures; a deleted pod gets its grace period, and on a
 * lost node it stays terminating until the node is back.
 */
public final class Kubelet {

  private final Timeline time;
  private final Weather weather;
  private final Store api;
  private final Raft raft;
  private final Trace trace;
  private final Rng rng;
  private final Set<String> known = new HashSet<>();
  private final Map<String, Integer> crashes = new HashMap<>();
  private final Set<String> pulled = new HashSet<>();
  private final Map<Integer, Instant> lostUntil = new TreeMap<>();
  private final Map<Integer, Instant> cordonedUntil = new TreeMap<>();

  public Kubelet(Timeline time, Weather weather, Store api, Raft raft, Trace trace, Rng rng) {
    this.time = time;
    this.weather = weather;
    this.api = api;
    this.raft = raft;
    this.trace = trace;
    this.rng = rng;
    api.watch(kind -> {
      if (kind == ApiServer.Kind.POD) {
        look();
      }
    });
    time.after(Duration.ofMillis(500), this::probeAll);
  }

  /** One node per ordinal: nodes are as many as anybody needs. */
  public boolean lost(int node) {
    return time.now().isBefore(lostUntil.getOrDefault(node, Instant.EPOCH));
  }

  public boolean cordoned(int node) {
    return time.now().isBefore(cordonedUntil.getOrDefault(node, Instant.EPOCH));
  }

  /** Why a pod on this node may soon be gone. */
  public Optional<String> leaving(int node) {
    if (lost(node)) {
      return Optional.of("node-" + node + " is not ready");
    }
    return cordoned(node) ? Optional.of("node-" + node + " is cordoned") : Optional.empty();
  }

  private void look() {
    List<PodObject> pods = api.pods();
    for (PodObject pod : pods) {
      if (known.add(pod.uid())) {
        time.after(rng.millis(5, 80), () -> schedule(pod.uid()));
      }
      if (pod.terminating() && known.add("end of " + pod.uid())) {
        time.after(rng.millis(0, 300), () -> stopMember(pod));
        time.after(rng.millis(300, 2000), () -> end(pod));
      }
    }
  }

  private void schedule(String uid) {
    Optional<PodObject> pod = alive(uid);
    if (pod.isEmpty()) {
      return;
    }
    int node = pod.get().ordinal();
    if (weather.strikes(Fault.POD_PENDING)) {
      trace.say("kubelet", pod.get().name() + " stays Pending for a while");
      time.after(rng.millis(3000, 20_000), () -> schedule(uid));
    } else if (lost(node) || cordoned(node)) {
      time.after(Duration.ofSeconds(1), () -> schedule(uid));
    } else {
      time.after(rng.millis(50, 400), () -> pull(uid, 0));
    }
  }

  private void pull(String uid, int tries) {
    Optional<PodObject> pod = alive(uid);
    if (pod.isEmpty()) {
      return;
    }
    boolean registry = weather.strikes(Fault.IMAGE_PULL);
    if (!pod.get().template().missing() && !registry) {
      pulled.add(uid);
      time.after(rng.millis(100, 1500), () -> start(uid));
      return;
    }
    String reason = tries == 0 ? "ErrImagePull" : "ImagePullBackOff";
    trouble(uid, Optional.of(new Trouble(reason, "cannot pull " + pod.get().template().image())));
    time.after(rng.millis(2000, 8000), () -> pull(uid, tries + 1));
  }

  private void start(String uid) {
    Optional<PodObject> pod = withImage(uid);
    if (pod.isEmpty()) {
      return;
    }
    if (lost(pod.get().ordinal())) {
      time.after(Duration.ofSeconds(1), () -> start(uid));
    } else if (raft.start(pod.get().ordinal(), pod.get().template())) {
      trouble(uid, Optional.empty());
    } else {
      time.after(rng.millis(50, 300), () -> crash(uid));
    }
  }

  /** Without its image a pod has no container: none that starts, none that exits. */
  private Optional<PodObject> withImage(String uid) {
    return alive(uid).filter(_ -> pulled.contains(uid));
  }

  /** The container exits. */
  public void crash(String uid) {
    Optional<PodObject> pod = withImage(uid);
    if (pod.isEmpty()) {
      return;
    }
    raft.stop(pod.get().ordinal());
    ready(uid, false);
    int times = crashes.merge(uid, 1, Integer::sum);
    if (times > 1) {
      trouble(uid, Optional.of(new Trouble("CrashLoopBackOff", "exited " + times + " times")));
    }
    Duration pause =
        times == 1 ? Duration.ofMillis(300) : Duration.ofSeconds(1L << Math.min(times, 4));
    time.after(pause, () -> start(uid));
  }

  public void lose(int node, Duration duration) {
    lostUntil.put(node, time.now().plus(duration));
    api.podAt(node)
        .ifPresent(pod -> {
          raft.stop(node);
          // The node controller notices and marks the pod; the container is gone at once.
          time.after(Duration.ofSeconds(2), () -> ready(pod.uid(), false));
          time.after(duration, () -> back(pod.uid()));
        });
  }

  private void back(String uid) {
    alive(uid).ifPresent(pod -> time.after(rng.millis(300, 2000), () -> start(uid)));
  }

  public void cordon(int node, Duration duration) {
    cordonedUntil.put(node, time.now().plus(duration));
  }

  private void stopMember(PodObject pod) {
    if (api.podAt(pod.ordinal()).filter(p -> p.uid().equals(pod.uid())).isPresent()) {
      raft.stop(pod.ordinal());
      ready(pod.uid(), false);
    }
  }

  private void end(PodObject pod) {
    if (lost(pod.ordinal())) {
      time.after(Duration.ofSeconds(1), () -> end(pod));
      return;
    }
    api.whenUp(() -> {
      raft.stop(pod.ordinal());
      trace.say("kubelet", pod.name() + " is gone");
      api.removePod(pod.uid());
      leaveLater(pod.ordinal());
    });
  }

  /** Whoever scales down also takes the member out of the system, a little later. */
  private void leaveLater(int ordinal) {
    if (!api.set().inRange(ordinal)) {
      time.after(
          rng.millis(500, 4000),
          () -> {
            if (!api.set().inRange(ordinal) && api.podAt(ordinal).isEmpty()) {
              trace.say("admin", "removes member m" + ordinal);
              raft.remove(ordinal);
            }
          });
    }
  }

  private void probeAll() {
    for (PodObject pod : api.pods()) {
      boolean serves = serves(pod);
      if (pod.ready() == serves || pod.terminating()) {
        continue;
      }
      Duration delay = serves ? rng.millis(0, 900) : rng.millis(1000, 2000);
      time.after(delay, () -> probed(pod.uid(), serves));
    }
    time.after(Duration.ofSeconds(1), this::probeAll);
  }

  /**
   * What the readiness probe asks. With OrderedReady it must not ask for a leader: after a full
   * stop the second member would never be created, and the first never be ready without it.
   */
  private boolean serves(PodObject pod) {
    boolean answers =
        api.set().spec().order() == Order.PARALLEL
            ? raft.healthy(pod.ordinal())
            : raft.voter(pod.ordinal()).filter(v -> v.votes() && !v.lags).isPresent();
    return answers && !lost(pod.ordinal());
  }

  private void probed(String uid, boolean served) {
    alive(uid).filter(p -> serves(p) == served).ifPresent(p -> ready(uid, served));
  }

  private void ready(String uid, boolean ready) {
    api.whenUp(() ->
        alive(uid)
            .filter(p -> p.ready() != ready)
            .ifPresent(p -> {
              trace.say("kubelet", p.name() + (ready ? " is ready" : " is not ready"));
              api.writePod(uid, Optional.empty(), state -> state.ready(ready, time.now()));
            }));
  }

  private void trouble(String uid, Optional<Trouble> trouble) {
    api.whenUp(() ->
        alive(uid)
            .filter(p -> !p.state().trouble().equals(trouble))
            .ifPresent(p -> {
              trouble.ifPresent(t -> trace.say("kubelet", p.name() + ": " + t.reason()));
              api.writePod(uid, Optional.empty(), state -> state.trouble(trouble));
            }));
  }

  private Optional<PodObject> alive(String uid) {
    return api.pod(uid).filter(p -> !p.terminating() || p.ready());
  }

  public void heal() {
    lostUntil.clear();
    cordonedUntil.clear();
    for (PodObject pod : api.pods()) {
      if (!pod.terminating() && raft.voter(pod.ordinal()).filter(v -> v.running).isEmpty()) {
        time.after(rng.millis(300, 1500), () -> startIfDown(pod.uid()));
      }
    }
  }

  private void startIfDown(String uid) {
    boolean down =
        alive(uid)
            .filter(p -> p.state().trouble().isEmpty())
            .flatMap(p -> raft.voter(p.ordinal()))
            .filter(v -> !v.running)
            .isPresent();
    if (down) {
      start(uid);
    }
  }
}
