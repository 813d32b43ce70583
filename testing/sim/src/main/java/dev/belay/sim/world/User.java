package dev.belay.sim.world;

import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.model.Workload.Update;
import dev.belay.core.report.Report;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The people around the cluster: what they may do at any moment. */
public final class User {

  private static final String NAME = "alice";

  private final World world;
  private final Rng rng;
  private final Map<String, Template> good = new TreeMap<>();
  private int patch = 1;
  private int restarts;
  private int tokens;
  private boolean wantsCluster;
  private Set<Install> labels = EnumSet.of(Install.BELAY);

  public User(World world, Rng rng) {
    this.world = world;
    this.rng = rng;
    world.parts().forEach(p -> good.put(p.name(), p.set().spec().template()));
  }

  public void createCluster() {
    wantsCluster = true;
    if (world.api.cluster().isEmpty()) {
      say("creates the StatefulCluster");
      String tag = world.first().set().spec().template().tag();
      world.api.createCluster(world.setup.clusterSpec(tag), labels);
    }
  }

  public void deleteCluster() {
    say("deletes the StatefulCluster");
    wantsCluster = false;
    world.api.deleteCluster();
  }

  /** The selectors of these installs match from now on. */
  public void label(Set<Install> installs) {
    say("labels the StatefulCluster for " + installs);
    labels = installs;
    world.api.labelCluster(installs);
  }

  public boolean wantsCluster() {
    return wantsCluster;
  }

  /** One minor further, or another patch: a legal step from what runs. */
  public void upgrade() {
    roll(touched().stream().map(this::next).toList());
  }

  private Template next(Part part) {
    boolean minor = mayGoOn(part) && rng.chance(60);
    Template from = remember(part);
    return new Template(
        part.name(), "3." + (from.minor() + (minor ? 1 : 0)) + "." + ++patch, restarts);
  }

  /** With one version for all, all of them have to be there before the next minor. */
  private boolean mayGoOn(Part part) {
    int minor = remember(part).minor();
    return (byVersion() ? world.parts().stream() : Stream.of(part))
        .allMatch(p -> p.raft.clusterMinor() == minor);
  }

  private Template remember(Part part) {
    Template template = part.set().spec().template();
    if (!template.broken()) {
      good.put(part.name(), template);
    }
    return good(part);
  }

  private Template good(Part part) {
    return Objects.requireNonNull(good.get(part.name()));
  }

  /** Those whose templates change together; one version is the first one's and all others'. */
  private List<Part> touched() {
    List<Part> parts = world.parts();
    if (parts.size() == 1 || byVersion()) {
      return List.of(parts.getFirst());
    }
    return rng.chance(70) ? parts : List.of(rng.pick(parts));
  }

  private boolean byVersion() {
    return world.setup.trigger() == Spec.Trigger.VERSION;
  }

  public void breakIt() {
    List<Part> touched = touched();
    Part victim = touched.size() == 1 ? touched.getFirst() : rng.pick(touched);
    var templates = new ArrayList<Template>();
    for (Part part : touched) {
      templates.add(part == victim ? broken(part) : next(part));
    }
    roll(templates);
  }

  private Template broken(Part part) {
    Template from = remember(part);
    boolean odd = part.setup.checks() && rng.chance(50);
    String how = odd ? "-odd" : rng.pick(List.of("-crash", "-hang", "-missing"));
    return new Template(part.name(), "3." + from.minor() + "." + ++patch + how, restarts);
  }

  public void revert() {
    roll((byVersion() ? List.of(world.first()) : world.parts()).stream().map(this::good).toList());
  }

  public void revert(Part part) {
    roll(List.of(byVersion() ? good(world.first()) : good(part)));
  }

  public void restart(Part part) {
    if (!byVersion()) {
      Template template = part.set().spec().template();
      roll(List.of(new Template(part.name(), template.tag(), ++restarts)));
    }
  }

  /** Whoever writes the templates: a person, or Belay on account of spec.version. */
  void roll(List<Template> templates) {
    if (byVersion() && world.api.cluster().isPresent()) {
      String tag = templates.getFirst().tag();
      say("wants version " + tag);
      world.api.writeClusterSpec(spec -> Wish.version(spec, tag));
    } else if (byVersion()) {
      world.parts().forEach(p -> write(templates.getFirst().in(p)));
    } else if (templates.size() == 1 || rng.chance(50)) {
      templates.forEach(this::write);
    } else {
      // A tool that writes in another order, and takes its time.
      templates.reversed().forEach(this::write);
    }
  }

  /** With trigger Version, what Belay would write if it could see the members. */
  public void writeWantedTemplate() {
    world
        .api
        .cluster()
        .flatMap(c -> c.spec().version())
        .ifPresent(v ->
            world
                .parts()
                .forEach(
                    p -> write(new Template(p.name(), v, p.set().spec().template().restarts()))));
  }

  private void write(Template template) {
    Store store = world.part(template.name()).orElseThrow().store;
    var answer = store.writeSet(NAME, Optional.empty(), spec -> spec.withTemplate(template));
    say("sets the template to " + template.revision() + ": " + answer);
  }

  public void scale(Part part, int by) {
    if (part.setup.isDeployment()) {
      return;
    }
    int replicas = Math.clamp(part.set().spec().replicas() + by, 1, 9);
    var answer = part.store.writeSet(NAME, Optional.empty(), spec -> spec.withReplicas(replicas));
    say("scales " + part.name() + " to " + replicas + ": " + answer);
  }

  /** Of a Deployment, which has none: whether it is paused. */
  public void setPartition(Part part, int partition) {
    int wanted = part.setup.isDeployment() && partition != Workload.FROZEN ? 0 : partition;
    var answer = part.store.writeSet(NAME, Optional.empty(), spec -> spec.withPartition(wanted));
    say("sets the partition of " + part.name() + " to " + wanted + ": " + answer);
  }

  public void switchStrategy(Part part) {
    if (part.setup.isDeployment()) {
      return;
    }
    Update other =
        part.set().spec().update() == Update.ON_DELETE ? Update.ROLLING_UPDATE : Update.ON_DELETE;
    var answer = part.store.writeSet(NAME, Optional.empty(), spec -> spec.withUpdate(other));
    say("switches " + part.name() + " to " + other + ": " + answer);
  }

  /** With its pods, which the garbage collector takes. */
  public void deleteSet(Part part) {
    if (part.store.exists() && !part.setup.isDeployment()) {
      say("deletes the set " + part.name() + " with all its pods");
      part.store.deleteSet();
    }
  }

  /** From the same chart: what it was asked to be when it was deleted. */
  public void createSet(Part part) {
    if (!part.store.exists()) {
      say("creates the set " + part.name() + " again");
      makeSet(part);
    }
  }

  private static void makeSet(Part part) {
    SetObject.Spec spec = part.set().spec();
    part.store.createSet(NAME, spec.withPartition(0).withUpdate(part.setup.update()));
  }

  public void recreateSet(Part part) {
    if (part.setup.isDeployment() || !part.store.exists()) {
      return;
    }
    say("deletes the set " + part.name() + " with --cascade=orphan and creates it again");
    makeSet(part);
  }

  public void evict(PodObject pod) {
    say("deletes " + pod.name());
    write(pod, PodObject.State::terminate);
  }

  private void write(PodObject pod, UnaryOperator<PodObject.State> change) {
    world.owner(pod.name()).ifPresent(p -> p.store.writePod(pod.uid(), Optional.empty(), change));
  }

  public void pause(boolean paused) {
    say(paused ? "pauses" : "resumes");
    world.api.writeClusterSpec(spec -> Wish.paused(spec, paused));
  }

  public void hold(PodObject pod, boolean held) {
    say((held ? "holds " : "lets go of ") + pod.name());
    write(pod, state -> state.hold(held));
  }

  public void rollBack() {
    String token = token();
    say("asks for a rollback (" + token + ")");
    world.api.writeClusterSpec(spec -> Wish.rollback(spec, Optional.of(token)));
  }

  public void dropRollback() {
    say("takes the request for a rollback away");
    world.api.writeClusterSpec(spec -> Wish.rollback(spec, Optional.empty()));
  }

  public void abort() {
    String token = token();
    say("aborts (" + token + ")");
    world.api.writeClusterSpec(spec -> Wish.abort(spec, token));
  }

  public void retry() {
    String token = token();
    say("asks for another try (" + token + ")");
    world.api.writeClusterSpec(spec -> Wish.retry(spec, token));
  }

  /** Agrees to what the status asks for now, if anything. */
  public void approve() {
    world
        .api
        .cluster()
        .flatMap(ClusterObject::status)
        .map(Report::waitingFor)
        .filter(token -> !token.isEmpty())
        .ifPresent(this::approve);
  }

  public void approve(String token) {
    say("approves " + token);
    world.api.writeClusterSpec(spec -> Wish.approve(spec, token));
  }

  /** Sets the annotation, or takes it away again. */
  public void force(boolean asked) {
    say(asked ? "forces one roll-out" : "takes the force annotation away");
    var force = asked ? new Spec.Force(true, NAME) : Spec.Force.NONE;
    world.api.writeClusterSpec(spec -> Wish.force(spec, force));
  }

  public void dropStrategy(Part part) {
    say("leaves the strategy of " + part.name() + " to the set");
    world.api.writeClusterSpec(spec -> Wish.withoutStrategy(spec, part.name()));
  }

  public void allowDowntime(Part part) {
    say("accepts downtime of " + part.name());
    world.api.writeClusterSpec(spec -> Wish.allowDowntime(spec, part.name()));
  }

  private String token() {
    return "ask-" + ++tokens;
  }

  /** A working version that is not below any that ran. */
  public void forward(Part part) {
    int minor =
        (byVersion() ? world.parts().stream() : Stream.of(part))
            .mapToInt(p ->
                p.raft.voters().stream()
                    .filter(v -> v.running)
                    .mapToInt(v -> v.minor)
                    .reduce(Math.max(p.raft.clusterMinor(), good(p).minor()), Math::max))
            .max()
            .orElseThrow();
    roll(List.of(new Template(part.name(), "3." + minor + "." + ++patch, restarts)));
  }

  private void say(String what) {
    world.trace.say("user", what);
  }
}
