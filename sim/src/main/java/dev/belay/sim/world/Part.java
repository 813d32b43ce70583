package dev.belay.sim.world;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/** One component: its set and pods, its members, and who looks after them. */
public final class Part {

  public final PartSetup setup;
  public final Store store;
  public final Raft raft;
  public final Kubelet kubelet;
  private Consumer<PodObject> onReplace = pod -> {};

  Part(World world, PartSetup setup, Rng rng) {
    this.setup = setup;
    this.store = new Store(world.time, world.trace, world.api, setup);
    this.raft =
        new Raft(
            world.time,
            world.weather,
            world.trace,
            rng.split("raft"),
            setup.hasMembers(),
            setup.name().equals(Setup.COMPONENT) ? "members" : "in " + setup.name());
    this.kubelet =
        new Kubelet(world.time, world.weather, store, raft, world.trace, rng.split("kubelet"));
    new StatefulSetController(
        world.time,
        world.weather,
        store,
        world.trace,
        rng.split("controller"),
        pod -> onReplace.accept(pod));
  }

  public String name() {
    return setup.name();
  }

  public SetObject set() {
    return store.set();
  }

  public List<PodObject> pods() {
    return store.pods();
  }

  /** The revision that the template asks for. */
  public String wanted() {
    return set().spec().template().revision();
  }

  /** Whether an object is its set or one of its pods, by the name. */
  public boolean owns(String object) {
    return object.equals(name()) || object.startsWith(name() + "-");
  }

  /** Told when the controller deletes a pod because it is outdated and released. */
  public void onReplace(Consumer<PodObject> listener) {
    this.onReplace = listener;
  }

  /** The pods that do not run what the template says. */
  public List<PodObject> outdated() {
    return pods().stream().filter(p -> !p.revision().equals(wanted())).toList();
  }

  public boolean available(PodObject pod, Instant at) {
    return pod.available(set().spec().minReady(), at);
  }

  /** Ready, staying, and healthy by its own account. */
  public boolean serves(PodObject pod) {
    return pod.ready() && !pod.terminating() && raft.healthy(pod.ordinal());
  }
}
