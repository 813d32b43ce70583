package dev.belay.sim.world;

import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload.Update;
import java.util.List;
import java.util.Optional;

/** The people around the cluster: what they may do at any moment. */
public final class User {

  private static final String NAME = "alice";

  private final World world;
  private final Rng rng;
  private Template good = new Template(Setup.FIRST, 0);
  private int patch = 1;
  private int restarts;
  private int tokens;
  private boolean wantsCluster;

  public User(World world, Rng rng) {
    this.world = world;
    this.rng = rng;
  }

  public void createCluster() {
    wantsCluster = true;
    if (world.api.cluster().isEmpty()) {
      say("creates the StatefulCluster");
      String tag = world.api.set().spec().template().tag();
      world.api.createCluster("my-db", world.setup.clusterSpec(tag));
    }
  }

  public void deleteCluster() {
    say("deletes the StatefulCluster");
    wantsCluster = false;
    world.api.deleteCluster();
  }

  public boolean wantsCluster() {
    return wantsCluster;
  }

  /** One minor further, or another patch: a legal step from what runs. */
  public void upgrade() {
    Template template = world.api.set().spec().template();
    if (!template.broken()) {
      good = template;
    }
    boolean minor = world.raft.clusterMinor() == good.minor() && rng.chance(60);
    roll(new Template("3." + (good.minor() + (minor ? 1 : 0)) + "." + ++patch, restarts));
  }

  public void breakIt() {
    Template template = world.api.set().spec().template();
    if (!template.broken()) {
      good = template;
    }
    String how = rng.pick(List.of("-crash", "-hang", "-missing"));
    roll(new Template("3." + good.minor() + "." + ++patch + how, restarts));
  }

  public void revert() {
    roll(good);
  }

  public void restart() {
    if (world.setup.trigger() == Spec.Trigger.TEMPLATE) {
      Template template = world.api.set().spec().template();
      roll(new Template(template.tag(), ++restarts));
    }
  }

  /** Whoever writes the template: a person, or Belay on account of spec.version. */
  void roll(Template template) {
    if (world.setup.trigger() == Spec.Trigger.VERSION && world.api.cluster().isPresent()) {
      say("wants version " + template.tag());
      world.api.writeClusterSpec(spec -> Wish.version(spec, template.tag()));
    } else {
      write(template);
    }
  }

  /** With trigger Version, what Belay would write if it could see the members. */
  public void writeWantedTemplate() {
    world
        .api
        .cluster()
        .flatMap(c -> c.spec().version())
        .ifPresent(v -> write(new Template(v, world.api.set().spec().template().restarts())));
  }

  private void write(Template template) {
    var answer = world.api.writeSet(NAME, Optional.empty(), spec -> spec.withTemplate(template));
    say("sets the template to " + template.revision() + ": " + answer);
  }

  public void scale(int by) {
    int replicas = Math.clamp(world.api.set().spec().replicas() + by, 1, 9);
    var answer = world.api.writeSet(NAME, Optional.empty(), spec -> spec.withReplicas(replicas));
    say("scales to " + replicas + ": " + answer);
  }

  public void setPartition(int partition) {
    var answer = world.api.writeSet(NAME, Optional.empty(), spec -> spec.withPartition(partition));
    say("sets the partition to " + partition + ": " + answer);
  }

  public void switchStrategy() {
    Update other =
        world.api.set().spec().update() == Update.ON_DELETE
            ? Update.ROLLING_UPDATE
            : Update.ON_DELETE;
    var answer = world.api.writeSet(NAME, Optional.empty(), spec -> spec.withUpdate(other));
    say("switches to " + other + ": " + answer);
  }

  public void recreateSet() {
    say("deletes the set with --cascade=orphan and creates it again");
    SetObject.Spec spec = world.api.set().spec();
    world.api.recreateSet(NAME, spec.withPartition(0).withUpdate(Update.ROLLING_UPDATE));
  }

  public void evict(PodObject pod) {
    say("deletes " + pod.name());
    world.api.writePod(pod.uid(), Optional.empty(), PodObject.State::terminate);
  }

  public void pause(boolean paused) {
    say(paused ? "pauses" : "resumes");
    world.api.writeClusterSpec(spec -> Wish.paused(spec, paused));
  }

  public void hold(PodObject pod, boolean held) {
    say((held ? "holds " : "lets go of ") + pod.name());
    world.api.writePod(pod.uid(), Optional.empty(), state -> state.hold(held));
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

  public void allowDowntime() {
    say("accepts downtime");
    world.api.writeClusterSpec(Wish::allowDowntime);
  }

  private String token() {
    return "ask-" + ++tokens;
  }

  /** A working version that is not below any that ran. */
  public void forward() {
    int minor =
        world.raft.voters().stream()
            .filter(v -> v.running)
            .mapToInt(v -> v.minor)
            .reduce(Math.max(world.raft.clusterMinor(), good.minor()), Math::max);
    roll(new Template("3." + minor + "." + ++patch, restarts));
  }

  private void say(String what) {
    world.trace.say("user", what);
  }
}
