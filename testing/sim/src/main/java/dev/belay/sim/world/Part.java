package dev.belay.sim.world;

import dev.belay.core.state.Fence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** One component: its set and pods, its members, and who looks after them. */
public final class Part {

  public final PartSetup setup;
  public final Store store;
  public final Raft raft;
  public final Kubelet kubelet;
  private final Trace trace;
  private final Set<String> drained = new TreeSet<>();
  private final Set<String> silent = new TreeSet<>();
  private Consumer<PodObject> onReplace = pod -> {};

  Part(World world, PartSetup setup, Rng rng) {
    this.setup = setup;
    this.trace = world.trace;
    this.store = new Store(world.time, world.trace, world.api, setup);
    this.raft =
        new Raft(
            world.time,
            world.weather,
            world.trace,
            rng.split("raft"),
            setup.hasMembers(),
            Raft.who(setup.name()));
    this.kubelet =
        new Kubelet(world.time, world.weather, store, raft, world.trace, rng.split("kubelet"));
    if (setup.isDeployment()) {
      new DeploymentController(
          world.time,
          world.weather,
          store,
          world.trace,
          rng.split("controller"),
          pod -> onReplace.accept(pod));
    } else {
      new GarbageCollector(world.time, store, world.trace, rng.split("collector"));
      new StatefulSetController(
          world.time,
          world.weather,
          store,
          world.trace,
          rng.split("controller"),
          pod -> onReplace.accept(pod));
    }
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

  /** A member is asked to do something; what it was told outlives its pod. */
  public void told(String pod, String what) {
    trace.say(pod, "is told " + what);
    if (what.equals(PartSetup.DRAIN)) {
      drained.add(pod);
      silent.remove(pod);
    } else if (what.equals(PartSetup.UNDRAIN)) {
      drained.remove(pod);
    }
  }

  /** A member gave no good answer. */
  public void silent(String pod, boolean undo) {
    if (undo) {
      silent.add(pod);
    }
  }

  /** Those that were drained and not undrained since. */
  public Set<String> drained() {
    return Collections.unmodifiableSet(drained);
  }

  /** Whether it did not answer when it was to be undrained. */
  public boolean leftAlone(String pod) {
    return silent.contains(pod);
  }

  /** Somebody looks after it by hand. */
  public void undrain(String pod) {
    drained.remove(pod);
    silent.remove(pod);
  }

  /** Told when the controller deletes a pod because it is outdated and released. */
  public void onReplace(Consumer<PodObject> listener) {
    this.onReplace = listener;
  }

  /** The pods that do not run what the template says. */
  public List<PodObject> outdated() {
    String wanted = wanted();
    var outdated = new ArrayList<PodObject>();
    for (PodObject pod : pods()) {
      if (!pod.revision().equals(wanted)) {
        outdated.add(pod);
      }
    }
    return outdated;
  }

  public boolean available(PodObject pod, Instant at) {
    return pod.available(set().spec().minReady(), at);
  }

  /** Whether it answers well when it is asked what only its users know. */
  public boolean works(PodObject pod) {
    return pod.ready()
        && !pod.template().odd()
        && raft.voter(pod.ordinal()).filter(v -> v.running && !v.paused).isPresent();
  }

  /** Whether its set, or one of its pods, still is at this version. */
  public boolean isAt(Fence.ObjectVersion object) {
    return object.kind() == Fence.Kind.POD
        ? pods().stream().map(PodObject::fence).anyMatch(text(object)::equals)
        : store.exists()
            && set().name().equals(object.name())
            && set().fence().equals(text(object));
  }

  /** The version of an object as the store compares it. */
  public static String text(Fence.ObjectVersion object) {
    return object.uid() + "/" + object.resourceVersion();
  }

  /** Ready, staying, and healthy by its own account. */
  public boolean serves(PodObject pod) {
    return pod.ready() && !pod.terminating() && raft.healthy(pod.ordinal());
  }
}
