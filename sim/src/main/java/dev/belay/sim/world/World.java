package dev.belay.sim.world;

import dev.belay.core.guard.Guard;
import dev.belay.core.snapshot.Component.Guarding;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** One simulated Kubernetes cluster with one clustered system in it. */
public final class World {

  public final Timeline time = new Timeline();
  public final Trace trace = new Trace(time);
  public final Weather weather = new Weather(time);
  public final Setup setup;
  public final ApiServer api;
  public final Raft raft;
  public final Kubelet kubelet;
  public final StatefulSetController controller;
  private Consumer<PodObject> onReplace = pod -> {};

  public World(Setup setup, Rng rng) {
    this(setup, rng, Guard::judge);
  }

  /** With another guard than the product's; for tests. */
  public World(
      Setup setup, Rng rng, BiFunction<Guard.Write, List<Guard.Claim>, Guard.Verdict> guard) {
    this.setup = setup;
    this.api = new ApiServer(time, weather, trace, guard, setup);
    this.raft = new Raft(time, weather, trace, rng.split("raft"), setup.hasMembers());
    this.kubelet = new Kubelet(time, weather, api, raft, trace, rng.split("kubelet"));
    this.controller =
        new StatefulSetController(
            time, weather, api, trace, rng.split("controller"), pod -> onReplace.accept(pod));
    // The set was there before Belay: its first sync comes from its creation.
    api.annotateSet(Optional.empty(), "created");
  }

  /** Told when the controller deletes a pod because it is outdated and released. */
  public void onReplace(Consumer<PodObject> listener) {
    this.onReplace = listener;
  }

  /** What the guard is, as a probe of the installed policies would say. */
  public Guarding guarding() {
    return api.guarded() ? Guarding.POLICY : Guarding.PARKED;
  }

  /** The pods that do not run what the template says. */
  public List<PodObject> outdated() {
    String wanted = api.set().spec().template().revision();
    return api.pods().stream().filter(p -> !p.revision().equals(wanted)).toList();
  }

  public boolean available(PodObject pod, Instant at) {
    return pod.available(api.set().spec().minReady(), at);
  }

  public void pass(Duration duration) {
    time.pass(duration);
  }
}
